/// The transactions that had committed at one moment, as PostgreSQL's `pg_snapshot`.
///
/// A transaction is visible if its id is below ``xmax`` and it was not in progress.
package struct StoreSnapshot: Hashable, Sendable {
    /// The first id that was not given out yet.
    package let xmax: UInt64
    /// The ids below ``xmax`` that were in progress, ascending.
    package let inProgress: [UInt64]

    /// Creates a snapshot; nil if the ids are not ascending, positive and below `xmax`.
    package init?(xmax: UInt64, inProgress: [UInt64] = []) {
        guard xmax > 0, inProgress.first != 0, inProgress.last.map({ $0 < xmax }) ?? true else { return nil }
        for (id, next) in zip(inProgress, inProgress.dropFirst()) where id >= next { return nil }
        self.xmax = xmax
        self.inProgress = inProgress
    }

    /// Creates a snapshot of ids that are ascending and positive. Those from `xmax` on are dropped.
    private init(limit xmax: UInt64, ascending ids: some Sequence<UInt64>) {
        self.xmax = xmax
        inProgress = ids.filter { $0 < xmax }
    }

    /// The first id that is not visible.
    package var xmin: UInt64 { inProgress.first ?? xmax }

    /// Returns a Boolean value that indicates whether the changes of a transaction are visible, if it
    /// committed.
    package func sees(_ id: UInt64) -> Bool { id < xmax && !isInProgress(id) }

    /// Returns a Boolean value that indicates whether everything that `other` sees is visible here too.
    package func sees(allOf other: StoreSnapshot) -> Bool {
        var limit = other.xmax
        for id in other.inProgress.reversed() where id == limit - 1 { limit = id }
        return limit <= xmax && inProgress.allSatisfy { !other.sees($0) }
    }

    /// Returns the snapshot that sees the transactions that both see.
    package func intersection(_ other: StoreSnapshot) -> StoreSnapshot {
        let ids = Set(inProgress).union(other.inProgress)
        return StoreSnapshot(limit: min(xmax, other.xmax), ascending: ids.sorted())
    }

    /// Returns the snapshot without a transaction, which a snapshot of the same session counts as visible.
    package func excluding(_ id: UInt64) -> StoreSnapshot {
        guard id > 0, sees(id) else { return self }
        return StoreSnapshot(limit: xmax, ascending: (inProgress + [id]).sorted())
    }

    private func isInProgress(_ id: UInt64) -> Bool {
        var (low, high) = (0, inProgress.count)
        while low < high {
            let middle = (low + high) / 2
            if inProgress[middle] == id { return true }
            if inProgress[middle] < id { low = middle + 1 } else { high = middle }
        }
        return false
    }
}

extension StoreSnapshot: LosslessStringConvertible {
    /// The text that the server writes and reads: `xmin:xmax:id,id`.
    package var description: String {
        "\(xmin):\(xmax):\(inProgress.map(String.init).joined(separator: ","))"
    }

    /// Creates a snapshot from the server's text; nil for any other text.
    package init?(_ description: String) {
        let parts = description.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, let xmin = UInt64(plain: parts[0]), let xmax = UInt64(plain: parts[1]),
            xmin <= xmax
        else { return nil }
        var ids: [UInt64] = []
        if !parts[2].isEmpty {
            for part in parts[2].split(separator: ",", omittingEmptySubsequences: false) {
                guard let id = UInt64(plain: part), id >= xmin else { return nil }
                ids.append(id)
            }
        }
        self.init(xmax: xmax, inProgress: ids)
    }
}

extension UInt64 {
    /// Creates a number from digits only; nil for a sign or a leading zero.
    fileprivate init?(plain text: Substring) {
        guard let first = text.utf8.first, first != UInt8(ascii: "+"),
            first != UInt8(ascii: "0") || text == "0"
        else { return nil }
        self.init(text)
    }
}
