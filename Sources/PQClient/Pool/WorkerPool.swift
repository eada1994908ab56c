import Foundation

/// Something a ``WorkerPool`` can run; it may block.
public protocol PoolWork: AnyObject, Sendable {
    /// Does the work, on a thread of the pool.
    func run()
}

/// A bounded number of threads for work that blocks, so that Swift's own threads never do.
///
/// Work starts in the order it came. A thread is made when work comes and all threads are busy, and sleeps when
/// there is none.
public final class WorkerPool: Sendable {
    private let crew: WorkerCrew

    /// Makes a pool without threads.
    public init(maximumThreads: Int, name: String) {
        precondition(maximumThreads > 0, "maximumThreads is less than 1. Set it to 1 or more.")
        crew = WorkerCrew(maximumThreads: maximumThreads, name: name)
    }

    deinit { crew.shutdown() }

    /// Runs `work` on a thread of the pool; never blocks.
    ///
    /// After ``shutdown()`` work is still run, so that nobody waits for it in vain.
    public func enqueue(_ work: any PoolWork) { crew.enqueue(work) }

    /// Lets the threads end once all work that was queued has run; does not wait for them.
    public func shutdown() { crew.shutdown() }
}
