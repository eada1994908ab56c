public import HowdahModel

/// Some committed changes, in their order, that a stream of the history delivers together.
///
/// It has at most about 10,000 changes, and 1 to 4 MiB of preserved values. A history transaction is in one batch, unless it
/// alone has more.
public struct HistoryBatch: Sendable {
    /// The history transactions; at least one.
    public let transactions: [HistoryTransaction]
    /// The token after the batch.
    public let token: HistoryToken
    /// A Boolean value that indicates whether some of the changes may have been delivered before, and changes
    /// that were delivered before may have been lost.
    ///
    /// It is true after the server restarted, or after a failover. Read the objects again that you show or
    /// keep.
    public let isAfterFailover: Bool
    /// The position of the consumer; nil in a stream without one.
    let position: HistoryPosition?

    /// A Boolean value that indicates whether any object may have changed, for example by a migration.
    public var changesEverything: Bool { transactions.contains(where: \.changesEverything) }

    /// The number of changes.
    public var changeCount: Int { transactions.reduce(0) { $0 + $1.changes.count } }
}
