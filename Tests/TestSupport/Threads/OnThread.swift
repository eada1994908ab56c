import Foundation

/// Runs work that blocks on a thread of its own, as a program without tasks would.
///
/// Swift has as many threads as the machine has cores. Two tests that each block one hold up all others on a small
/// machine, and forever if they wait for work that needs such a thread.
package func onThread<T: Sendable, Failure: Error>(
    _ body: @escaping @Sendable () throws(Failure) -> T
) async throws(Failure) -> T {
    let result = await withCheckedContinuation { continuation in
        Thread.detachNewThread {
            do throws(Failure) {
                continuation.resume(returning: Result<T, Failure>.success(try body()))
            } catch {
                continuation.resume(returning: .failure(error))
            }
        }
    }
    return try result.get()
}
