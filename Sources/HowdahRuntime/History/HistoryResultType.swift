/// The parts of the history that a request returns.
///
/// Source: Core Data's `NSPersistentHistoryResultType`.
public enum HistoryResultType: Sendable, Hashable, CaseIterable {
    /// The number of changes.
    case count
    /// The ids of the changed objects, each one once.
    case objectIDs
    /// The transactions, without their changes.
    case transactionsOnly
    /// The changes, without their transactions.
    case changesOnly
    /// The transactions with their changes.
    case transactionsAndChanges
}
