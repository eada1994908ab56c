public import HowdahModel

/// One object that was changed, deleted or guarded here and, since it was read, changed elsewhere.
public struct SaveConflict: Sendable, CustomStringConvertible {
    /// The object.
    public let objectID: ObjectID<ManagedObject>
    /// The name of its entity.
    public let entityName: String
    /// The properties that have other values in the store now than when they were read, in the model's order;
    /// empty if the row was deleted, and if only its version differs.
    ///
    /// To-manys with an order or with bounds are among them where they were loaded and have other members now, or
    /// another order; where nothing else differs, all of them that were not loaded.
    public let properties: [String]
    /// The properties that were changed here, to-manys too; none for an object that is only guarded by
    /// ``ManagedObjectContext/detectConflicts(for:)``.
    public let changedProperties: [String]
    /// The values of the properties that were changed, here or in the store, by name; no to-manys, and no derived
    /// attributes.
    public let values: [String: Values]
    /// Whether the row is gone from the store.
    public let isDeleted: Bool
    /// Whether the object is to be deleted here.
    public let isDeletedHere: Bool

    /// One property in the three states that a conflict compares, as `value(forKey:)` gives it; to-ones are ids.
    public struct Values: Sendable {
        /// The value when the row was read.
        public let base: (any Sendable)?
        /// The value here.
        public let mine: (any Sendable)?
        /// The value in the store; nil also if the row was deleted.
        public let stored: (any Sendable)?
    }

    /// The object and the properties concerned; no values.
    public var description: String {
        let what =
            if isDeleted {
                "was deleted"
            } else if properties.isEmpty {
                "has another version and the same values"
            } else {
                "has other values of \(properties.joined(separator: ", "))"
            }
        let here =
            isDeletedHere
            ? "deleted here"
            : changedProperties.isEmpty
                ? "not changed here, but guarded by detectConflicts(for:)"
                : "changed here: \(changedProperties.joined(separator: ", "))"
        return "\(entityName) \(objectID.shortText) \(what) in the store; \(here)"
    }
}
