/// A snapshot with a position of the log before which all its transactions committed.
package struct HistoryEdge: Hashable, Sendable {
    package let snapshot: StoreSnapshot
    /// The position in the server's spelling, such as `0/1B015880`.
    package let position: String

    package init(snapshot: StoreSnapshot, position: String) {
        self.snapshot = snapshot
        self.position = position
    }

    /// Returns the edge to remember after a poll that found the end of the log not flushed.
    ///
    /// A remembered edge stays until it is flushed. If each poll replaced it, a busy server without
    /// synchronous commits might never flush it in time.
    ///
    /// - Parameters:
    ///   - kept: The edge that was remembered before the poll.
    ///   - isKeptFlushed: Indicates whether the server had flushed it.
    ///   - current: The edge of the poll.
    ///   - isCurrentFlushed: Indicates whether the server had flushed the edge of the poll.
    package static func toKeep(
        _ kept: HistoryEdge?, isKeptFlushed: Bool, current: HistoryEdge, isCurrentFlushed: Bool
    ) -> HistoryEdge? {
        if isCurrentFlushed { return nil }
        return isKeptFlushed ? current : kept ?? current
    }
}
