public import HowdahModel

/// One object that was changed here and, since it was read, also elsewhere.
public struct SaveConflict: Sendable, CustomStringConvertible {
    /// The object.
    public let objectID: ObjectID<ManagedObject>
    /// The name of its entity.
    public let entityName: String
    /// The properties that have other values in the store now than when they were read, in the model's order;
    /// empty where the row was deleted.
    public let properties: [String]
    /// The properties that were changed here.
    public let changedProperties: [String]
    /// Whether the row is gone from the store.
    public let isDeleted: Bool

    /// The object and the properties concerned; no values.
    public var description: String {
        let what = isDeleted ? "was deleted" : "has other values of \(properties.joined(separator: ", "))"
        return "\(entityName) \(objectID.shortText) \(what) in the store; "
            + "changed here: \(changedProperties.isEmpty ? "deletion" : changedProperties.joined(separator: ", "))"
    }
}
