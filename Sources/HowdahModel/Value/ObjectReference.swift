/// A row named by its hierarchy's key and its entity's stored name; what a foreign key holds.
///
/// Two references are equal when the key is: ids of one hierarchy are unique.
public struct ObjectReference: Hashable, Sendable, Codable {
    /// The `_id` of the row; negative while the object has a temporary id.
    public let key: Int64
    /// The stored name of the concrete entity (renaming identifier, or name where none is set).
    public let entity: String

    /// Makes a reference to the row `key` of `entity`.
    public init(key: Int64, entity: String) {
        self.key = key
        self.entity = entity
    }
}
