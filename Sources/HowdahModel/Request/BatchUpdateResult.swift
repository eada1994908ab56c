/// What a batch update did.
///
/// Source: Core Data's `NSBatchUpdateResult`.
public struct BatchUpdateResult<Object>: Sendable {
    /// How many rows matched and were changed.
    public let count: Int
    /// The ids of those rows in no particular order; empty unless the request asked for them.
    public let objectIDs: [ObjectID<Object>]

    package init(count: Int, objectIDs: [ObjectID<Object>]) {
        self.count = count
        self.objectIDs = objectIDs
    }
}
