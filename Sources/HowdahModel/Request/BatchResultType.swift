/// What a batch request brings back beside the fact that it succeeded.
///
/// Source: Core Data's `NSBatchInsertRequestResultType` and its relatives.
public enum BatchResultType: Hashable, Sendable {
    /// Nothing; the count is there all the same, because the server tells it anyway.
    case statusOnly
    /// How many rows.
    case count
    /// How many, and their ids: 8 bytes more for each row on the way.
    case objectIDs

    package var bringsIDs: Bool { self == .objectIDs }
}
