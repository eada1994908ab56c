public import HowdahModel

/// The result of a batch insertion.
///
/// Each row of the source is inserted, updated, skipped or refused, and counted once. A row with the unique
/// values of an earlier row of the same source meets the row that the earlier one wrote. It is counted as
/// updated or skipped, as if that row had been stored before.
///
/// Source: Core Data's `NSBatchInsertResult`.
public struct BatchInsertResult<Object>: Sendable {
    /// The number of new rows. Without a policy for unique values, these are all rows.
    public let insertedCount: Int
    /// The number of rows that changed a row which existed, if the request has a policy for that.
    public let updatedCount: Int
    /// The number of rows that changed nothing: a row with the same unique values existed, and the policy kept
    /// its values. Rows that a trigger of the table left out count too.
    public let skippedCount: Int
    /// The rows that were not stored, by number; empty unless the request collects them.
    public let refused: [RefusedRow]
    /// The ids of the new rows, in the order of the source; empty unless you requested them.
    public let insertedObjectIDs: [ObjectID<Object>]
    /// The ids of the changed rows, each once; empty unless you requested them.
    public let updatedObjectIDs: [ObjectID<Object>]

    /// The number of rows that were written.
    public var count: Int { insertedCount + updatedCount }
    /// The ids of all rows that were written.
    public var objectIDs: [ObjectID<Object>] { insertedObjectIDs + updatedObjectIDs }
}
