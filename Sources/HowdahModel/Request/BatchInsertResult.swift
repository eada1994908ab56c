/// The result of a batch insertion.
///
/// Source: Core Data's `NSBatchInsertResult`.
public struct BatchInsertResult<Object>: Sendable {
    /// The number of new rows.
    public let insertedCount: Int
    /// The number of rows that existed and were changed, if the request has a policy for that.
    public let updatedCount: Int
    /// The ids of the new rows, in the order of the source; empty unless you requested them.
    public let insertedObjectIDs: [ObjectID<Object>]
    /// The ids of the changed rows, each once; empty unless you requested them.
    public let updatedObjectIDs: [ObjectID<Object>]

    /// The number of rows that were written.
    public var count: Int { insertedCount + updatedCount }
    /// The ids of all rows that were written.
    public var objectIDs: [ObjectID<Object>] { insertedObjectIDs + updatedObjectIDs }

    package init(
        insertedCount: Int, updatedCount: Int, insertedObjectIDs: [ObjectID<Object>],
        updatedObjectIDs: [ObjectID<Object>]
    ) {
        self.insertedCount = insertedCount
        self.updatedCount = updatedCount
        self.insertedObjectIDs = insertedObjectIDs
        self.updatedObjectIDs = updatedObjectIDs
    }
}
