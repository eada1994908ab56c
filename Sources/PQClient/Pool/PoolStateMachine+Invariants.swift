extension PoolStateMachine {
    /// What must hold between any two events; the first broken rule, or nil.
    func checkInvariants() -> String? {
        let idleIDs = Set(idle.map(\.id))
        let rules: [(Bool, String)] = [
            (idleIDs.count == idle.count, "no connection is idle twice"),
            (
                idleIDs.isDisjoint(with: leased) && idleIDs.isDisjoint(with: opening)
                    && leased.isDisjoint(with: opening), "a connection is in one state"
            ),
            (total <= maximum + nestedCount, "only nested leases exceed the maximum"),
            (idle.isEmpty || waiters.isEmpty, "nobody waits while a connection is idle"),
            (
                isClosed || opening.count >= waiters.count || total >= maximum || isPausing && total > 0,
                "a connection is opened for everyone who waits"
            ),
            (!isClosed || (waiters.isEmpty && idle.isEmpty), "a closed pool keeps nothing"),
            (
                zip(waiters, waiters.dropFirst()).allSatisfy { $0.id < $1.id },
                "waiters stand in the order of their coming"
            ),
        ]
        return rules.first { !$0.0 }?.1
    }
}
