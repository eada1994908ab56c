/// The result of a batch request, in addition to its success.
///
/// Source: Core Data's `NSBatchInsertRequestResultType` and related types.
public enum BatchResultType: Hashable, Sendable {
    /// No result. The count is still available, because the server always sends it.
    case statusOnly
    /// The number of rows.
    case count
    /// The number of rows, and their ids: 8 bytes more for each row on the wire.
    case objectIDs

    package var bringsIDs: Bool { self == .objectIDs }
}
