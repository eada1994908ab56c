/// The transactions whose rows a page shows, as the server's `pg_snapshot` in text: `100:104:101,102`.
struct RowSnapshot: Sendable {
    /// The first transaction that had not begun.
    private let next: UInt64
    /// Transactions that had begun and not ended.
    private let running: Set<UInt64>

    /// Returns nil for another text.
    init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, UInt64(parts[0]) != nil, let next = UInt64(parts[1]) else { return nil }
        let running = parts[2].split(separator: ",").map { UInt64($0) }
        guard !running.contains(nil) else { return nil }
        (self.next, self.running) = (next, Set(running.compactMap(\.self)))
    }

    /// Indicates whether the page shows the rows of a transaction. Rows have the lower half of its number.
    func shows(_ transaction: UInt32) -> Bool {
        // Smaller numbers are not of transactions.
        guard transaction > 2 else { return true }
        let behind = UInt32(truncatingIfNeeded: next) &- transaction
        // A number of the last two billions is earlier, and any other is later.
        guard behind != 0, behind < 1 << 31 else { return false }
        return !running.contains(next - min(next, UInt64(behind)))
    }
}
