extension PoolStateMachine {
    /// Returns the first broken rule of those that hold between events, or nil.
    func checkInvariants() -> String? {
        let idleIDs = Set(idle.map(\.id))
        let rules: [(Bool, String)] = [
            (idleIDs.count == idle.count, "no connection is idle twice"),
            (
                idleIDs.isDisjoint(with: leased) && idleIDs.isDisjoint(with: opening)
                    && leased.isDisjoint(with: opening), "each connection has one state"
            ),
            (total <= maximum + nestedCount, "only nested leases exceed the maximum"),
            (idle.isEmpty || waiters.isEmpty, "no lease waits while a connection is idle"),
            (
                isClosed || opening.count >= waiters.count || total >= maximum || isPausing && total > 0,
                "a connection is opened for each waiting lease"
            ),
            (
                !isClosed || (waiters.isEmpty && idle.isEmpty),
                "a closed pool has no waiting leases and no idle connections"
            ),
            (
                zip(waiters, waiters.dropFirst()).allSatisfy { $0.id < $1.id },
                "waiting leases are in the order of their requests"
            ),
        ]
        return rules.first { !$0.0 }?.1
    }
}
