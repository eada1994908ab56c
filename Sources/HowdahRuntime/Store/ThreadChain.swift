/// The present work of a thread: the queues that it owns, innermost last, and the connections that it holds.
///
/// The queues make `performAndWait` re-entrant, also from child to parent to child. The connections prevent a
/// nested unit of work from waiting for one that its thread holds.
final class ThreadChain {
    /// The limits of a unit of work and of all units inside of it.
    struct Scope {
        var relay: CancellationRelay?
        var deadline: ContinuousClock.Instant?
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

    private static let perThread = ThreadSpecific { ThreadChain() }

    /// The calling thread's chain.
    static var current: ThreadChain { perThread.current }

    func owns(_ queue: AnyObject) -> Bool { queues.contains { $0 === queue } }
}
