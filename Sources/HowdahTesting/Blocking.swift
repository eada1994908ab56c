import Foundation

/// Work that blocks its thread, kept away from the threads of Swift's concurrency.
enum Blocking {
    nonisolated(nonsending) static func run<T: Sendable>(
        _ body: @escaping @Sendable () throws -> T
    ) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(with: Result { try body() }) }
        }
    }
}
