/// The rules by which a store still has everything after a snapshot.
extension StoreSnapshot {
    /// Returns a Boolean value that indicates whether no row was truncated that the snapshot does not see.
    ///
    /// - Parameters:
    ///   - purged: The greatest transaction id among truncated rows; 0 if nothing was truncated.
    ///   - look: A snapshot of the last truncation. The rows of a transaction that was in progress then are
    ///   not truncated.
    package func isServed(purgedUpTo purged: UInt64, at look: StoreSnapshot) -> Bool {
        guard xmax > purged else { return false }
        return inProgress.allSatisfy { $0 > purged || !look.sees($0) }
    }

    /// Returns the snapshot from which on everything is kept: it sees everything that was deleted or
    /// truncated, and no more than that requires.
    ///
    /// - Parameters:
    ///   - deleted: The snapshot whose rows were deleted.
    ///   - purged: The greatest transaction id among truncated rows.
    ///   - look: A snapshot of the last truncation.
    package static func beginning(
        deleted: StoreSnapshot, purgedUpTo purged: UInt64, at look: StoreSnapshot
    ) -> StoreSnapshot {
        // Truncated rows were visible then.
        let limit = min(purged, look.xmax - 1)
        let candidates = Set(deleted.inProgress).union(look.inProgress)
        let ids = candidates.filter { !deleted.sees($0) && !($0 <= limit && look.sees($0)) }
        let xmax = max(deleted.xmax, limit + 1)
        return StoreSnapshot(xmax: xmax, inProgress: ids.filter { $0 < xmax }.sorted()) ?? deleted
    }
}
