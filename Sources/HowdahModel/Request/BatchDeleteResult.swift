/// What a batch deletion did.
///
/// Source: Core Data's `NSBatchDeleteResult`.
public struct BatchDeleteResult<Object>: Sendable {
    /// How many rows matched and are gone; rows that went with them by a delete rule are not counted.
    public let count: Int
    /// The ids of those rows in no particular order; empty unless the request asked for them.
    public let objectIDs: [ObjectID<Object>]

    package init(count: Int, objectIDs: [ObjectID<Object>]) {
        self.count = count
        self.objectIDs = objectIDs
    }
}
