public import HowdahModel

/// The result of a ``HistoryRequest``, in the order of the changes.
///
/// Source: Core Data's `NSPersistentHistoryResult`.
public struct HistoryResult: Sendable {
    /// The type of result that was requested.
    public let resultType: HistoryResultType
    /// The transactions; empty unless requested.
    public internal(set) var transactions: [HistoryTransaction] = []
    /// The changes, if you requested them without their transactions.
    public internal(set) var changes: [HistoryChange] = []
    /// The ids of the changed objects, in the order of their first change; empty unless requested.
    public internal(set) var objectIDs: [ObjectID<ManagedObject>] = []
    /// The number of changes.
    public internal(set) var count = 0
    /// The token from which to read on; nil if the request was for changes after a date.
    public internal(set) var token: HistoryToken?
    /// A Boolean value that indicates whether some of the changes may have been returned before, and changes
    /// that were returned before may have been lost.
    ///
    /// It is true after the server restarted, or after a failover. Read the objects again that you show or
    /// keep.
    public internal(set) var isAfterFailover = false
    /// A Boolean value that indicates whether any object may have changed, for example by a migration.
    public internal(set) var changesEverything = false
}
