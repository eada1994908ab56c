/// What this thread is in the middle of: the queues it owns, innermost last, and the connections it holds.
///
/// Knowing the queues makes `performAndWait` re-entrant, also child to parent to child; knowing the connections
/// keeps a nested unit of work from waiting for a connection that its own thread holds.
final class ThreadChain {
    /// The limits of a unit of work and of all units inside of it.
    struct Scope {
        var relay: CancellationRelay?
        var deadline: ContinuousClock.Instant?
    }

    var queues: [ContextQueue] = []
    var leases = 0
    /// The number of commits of this thread's units.
    var stored = 0
    /// The limits of the innermost unit of work that runs.
    var scope = Scope()

    private static let perThread = ThreadSpecific { ThreadChain() }

    /// The calling thread's chain.
    static var current: ThreadChain { perThread.current }

    func owns(_ queue: ContextQueue) -> Bool { queues.contains { $0 === queue } }
}
