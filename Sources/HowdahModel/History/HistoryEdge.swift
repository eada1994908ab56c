/// A snapshot with a position of the log before which all its transactions committed.
package struct HistoryEdge: Hashable, Sendable {
    package let snapshot: StoreSnapshot
    /// The position in the server's spelling, such as `0/1B015880`.
    package let position: String
    /// The position of the server's last checkpoint when the snapshot was taken; nil if the edge is flushed.
    ///
    /// A server that recovers from a crash ends the recovery with a checkpoint, behind all earlier ones. So no crash has
    /// taken the edge back while the checkpoint is the same. The time at which the server started does not change if
    /// only a session crashed.
    package let checkpoint: String?

    package init(snapshot: StoreSnapshot, position: String, checkpoint: String? = nil) {
        self.snapshot = snapshot
        self.position = position
        self.checkpoint = checkpoint
    }

    /// The edge after the server flushed it: no crash can take it back.
    package var flushed: HistoryEdge { HistoryEdge(snapshot: snapshot, position: position) }

    /// Returns a Boolean value that indicates whether the edge still counts after a poll that found another one.
    private func isOfRun(of current: HistoryEdge) -> Bool {
        checkpoint == nil || checkpoint == current.checkpoint
    }

    /// Returns the edge to remember after a poll that found the end of the log not flushed.
    ///
    /// A remembered edge stays until it is flushed, or a crash may have taken it back. If each poll replaced it, a busy
    /// server without synchronous commits might never flush it in time.
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
        guard let kept, !isKeptFlushed, kept.isOfRun(of: current) else { return current }
        return kept
    }
}
