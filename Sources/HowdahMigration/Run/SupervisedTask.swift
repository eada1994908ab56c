internal import Dispatch
internal import Foundation
internal import Synchronization

/// Blocking work as a task on a thread of its own, so that it can be cancelled, and left where it does not end for that.
package final class SupervisedTask: Sendable {
    /// Gives each job a thread: the work blocks, and must not take one from those that other tasks share.
    private final class Threads: TaskExecutor {
        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            let executor = asUnownedTaskExecutor()
            Thread.detachNewThread { job.runSynchronously(on: executor) }
        }
    }

    private let isOver = DispatchSemaphore(value: 0)
    private let outcome = Mutex<Result<Void, any Error>?>(nil)
    private let task = Mutex<Task<Void, Never>?>(nil)

    /// Begins `body`, which alone uses what it captures until the task is over.
    package init(_ body: @escaping () throws -> Void) {
        nonisolated(unsafe) let body = body
        let started = Task(executorPreference: Threads()) { [self] in
            let result = Result { try body() }
            outcome.withLock { $0 = result }
            isOver.signal()
        }
        task.withLock { $0 = started }
    }

    /// How soon it notices that the task which waits was cancelled.
    private static let slice = 0.05

    /// Waits for the end, and throws what the body threw; false where it has not ended by then. Cancelled with the task that
    /// waits.
    package func wait(until end: ContinuousClock.Instant?) throws -> Bool {
        var left = Self.slice
        repeat {
            if let end { left = min(Self.slice, max(0, ContinuousClock.now.duration(to: end) / .seconds(1))) }
            if isOver.wait(timeout: .now() + left) == .success {
                try outcome.withLock { $0 }?.get()
                return true
            }
            if Task.isCancelled { cancel() }
        } while end.map { $0 > .now } ?? true
        return false
    }

    /// Tells the body that nobody needs it any more.
    package func cancel() { task.withLock { $0?.cancel() } }
}
