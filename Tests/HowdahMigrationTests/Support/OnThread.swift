import Foundation

/// Runs what blocks on a thread of its own, so that the others have theirs.
func onThread<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
    }
}

/// Something that one thread after the other uses.
///
/// Unchecked, because the compiler does not see what makes it safe: the giver does not touch it any more.
struct Handed<T>: @unchecked Sendable {
    let value: T

    init(_ value: T) { self.value = value }
}
