import Foundation

/// Work that a ``WorkerPool`` can run; it may block.
package protocol PoolWork: AnyObject, Sendable {
    /// Does the work, on a thread of the pool.
    func run()
}

/// A limited number of threads for work that blocks, so that Swift's own threads never do.
///
/// Work starts in the order of its arrival. If all threads are busy, new work starts another thread. Without
/// work, threads sleep.
package final class WorkerPool: Sendable {
    private let crew: WorkerCrew

    /// Creates a pool without threads.
    ///
    /// - Parameters:
    ///   - maximumThreads: The maximum number of threads.
    ///   - name: The name of the threads.
    package init(maximumThreads: Int, name: String) {
        precondition(maximumThreads > 0, "maximumThreads is less than 1. Set it to 1 or more.")
        crew = WorkerCrew(maximumThreads: maximumThreads, name: name)
    }

    deinit { crew.shutdown() }

    /// Runs `work` on a thread of the pool; never blocks.
    ///
    /// After ``shutdown()`` work still runs, so that nobody waits for it in vain.
    package func enqueue(_ work: any PoolWork) { crew.enqueue(work) }

    /// A Boolean value that indicates whether work waits for a thread.
    package var hasWork: Bool { crew.hasWork }

    /// Ends the threads after all queued work; does not wait for them.
    package func shutdown() { crew.shutdown() }
}
