import Foundation

/// Work that blocks its thread, kept away from the threads of Swift's concurrency.
enum Blocking {
    /// Runs `body` on a separate thread and waits for it without blocking the caller's.
    ///
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`.
    nonisolated(nonsending) static func run<T: Sendable>(
        _ body: @escaping @Sendable () throws -> T
    ) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(with: Result { try body() }) }
        }
    }
}
