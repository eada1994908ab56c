/// A reference to a row: the key in its hierarchy and the stored name of its entity.
///
/// A foreign key holds such a reference. Two references are equal if their keys are equal: ids of one
/// hierarchy are unique.
public struct ObjectReference: Hashable, Sendable, Codable {
    /// The `_id` of the row. It is negative if the object has a temporary id.
    public let key: Int64
    /// The stored name of the concrete entity: its renaming identifier, or its name if none is set.
    public let entity: String

    /// Creates a reference to a row.
    ///
    /// - Parameters:
    ///   - key: The `_id` of the row.
    ///   - entity: The stored name of its concrete entity.
    public init(key: Int64, entity: String) {
        self.key = key
        self.entity = entity
    }
}
