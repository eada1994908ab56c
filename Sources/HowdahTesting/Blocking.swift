import Foundation

/// Work that blocks its thread, kept away from the threads of Swift's concurrency.
enum Blocking {
    /// Runs `body` on a separate thread and waits for it without blocking the caller's.
    ///
    /// The thread is new: on Linux, the global queues of Dispatch have the threads of Swift's tasks.
    ///
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`.
    nonisolated(nonsending) static func run<T: Sendable>(
        _ body: @escaping @Sendable () throws -> T
    ) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
        }
    }
}
