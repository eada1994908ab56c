import PQClient

/// The present work of a thread: the queues that it owns, innermost last, and the connections that it holds.
///
/// The queues make `performAndWait` re-entrant, also from child to parent to child. The connections prevent a
/// nested unit of work from waiting for one that its thread holds.
final class ThreadChain {
    /// The limits of a unit of work and of all units inside of it.
    struct Scope {
        var relay: CancellationRelay?
        var deadline: ContinuousClock.Instant?

        /// Returns the deadline of a unit of work inside of this one.
        func deadline(of inner: ContinuousClock.Instant?) -> ContinuousClock.Instant? {
            guard let deadline else { return inner }
            return inner.map { min($0, deadline) } ?? deadline
        }
    }

    /// The queues of contexts.
    var queues: [AnyObject] = []
    @exclusivity(unchecked) var leases = 0
    /// The number of commits of this thread's units.
    @exclusivity(unchecked) var stored = 0
    /// The time for which this thread's units waited for connections, in nanoseconds, in stores that are observed.
    @exclusivity(unchecked) var waited: Int64 = 0
    /// The limits of the innermost running unit of work.
    @exclusivity(unchecked) var scope = Scope()

    /// The part of the work that the thread does for a pool; nil outside of its threads.
    @exclusivity(unchecked) private var stage: Stage?
    @exclusivity(unchecked) private var pool: WorkerPool?
    /// The work that this thread does as soon as the present one returns, so that no other thread is woken.
    @exclusivity(unchecked) private var next: (any ThreadWork)?

    private static let perThread = ThreadSpecific { ThreadChain() }

    /// The calling thread's chain.
    static var current: ThreadChain { perThread.current }

    func owns(_ queue: AnyObject) -> Bool { queues.contains { $0 === queue } }
}

/// Work of a pool's thread that other work may follow on the same thread.
protocol ThreadWork: PoolWork {
    /// The stage that the work begins in.
    var stage: ThreadChain.Stage { get }
    /// Does the work, without what follows it.
    func runOnce(_ chain: ThreadChain)
}

extension ThreadChain {
    /// The kinds of work on a thread, in the order in which a unit of work passes through them.
    enum Stage {
        /// The code of a task that prefers the container's threads.
        case task
        /// A context's turn, before and after a body.
        case context
        /// The body of a unit of work, which may block: nothing waits for its end.
        case body
    }

    /// The number of units after which a thread takes the work that waits, if there is any.
    private static let turns = 4

    /// Runs work and what follows it on this thread.
    func run(_ work: any ThreadWork, on pool: WorkerPool) {
        handOn()
        // A pool that gets no thread from the system runs work on the thread that brings it.
        let outer = (self.pool, stage)
        defer { (self.pool, stage) = outer }
        self.pool = pool
        var work = work
        var turns = 0
        while true {
            stage = work.stage
            work.runOnce(self)
            stage = nil
            guard let following = next else { break }
            next = nil
            turns += 1
            if turns >= Self.turns {
                // A task that goes on and on must not keep the thread from others.
                guard !pool.hasWork else {
                    pool.enqueue(following)
                    break
                }
                turns = 0
            }
            work = following
        }
    }

    /// Lets work follow the present one on this thread; false if another thread must do it.
    ///
    /// - Parameter stage: The stage whose end is near when such work arrives. A task that continues on a context
    ///   is suspended then, and a context's turn that returns to a task is over.
    func follow(with work: any ThreadWork, after stage: Stage, on pool: WorkerPool) -> Bool {
        guard self.stage == stage, self.pool === pool, next == nil else { return false }
        next = work
        return true
    }

    /// Gives the work that follows to another thread, because this one is not about to return.
    func handOn() {
        guard let following = next, let pool else { return }
        next = nil
        pool.enqueue(following)
    }

    /// Runs the body of a unit of work.
    func inBody<T>(_ body: () throws -> T) rethrows -> T {
        handOn()
        let outer = stage
        stage = .body
        defer { stage = outer }
        return try body()
    }
}
