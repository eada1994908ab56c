/// What a batch insertion did.
///
/// Source: Core Data's `NSBatchInsertResult`.
public struct BatchInsertResult<Object>: Sendable {
    /// How many rows are new.
    public let insertedCount: Int
    /// How many rows were there already and were changed, where the request has a policy for that.
    public let updatedCount: Int
    /// The ids of the new rows, in the order of the source; empty unless the request asked for them.
    public let insertedObjectIDs: [ObjectID<Object>]
    /// The ids of the changed rows, each once; empty unless the request asked for them.
    public let updatedObjectIDs: [ObjectID<Object>]

    /// How many rows were written.
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
