public import HowdahModel

/// An object that was changed, deleted or guarded here and, since it was read, changed by another session.
public struct SaveConflict: Sendable, CustomStringConvertible {
    /// The id of the object.
    public let objectID: ObjectID<ManagedObject>
    /// The name of its entity.
    public let entityName: String
    /// The properties with other values in the store now than when they were read, in the model's order.
    ///
    /// It is empty if the row was deleted, and if only its version differs. It includes loaded to-manys with
    /// an order or with bounds that have other members now, or another order. If nothing else differs, it
    /// includes all of these that were not loaded.
    public let properties: [String]
    /// The properties that were changed here, to-manys included.
    ///
    /// It is empty for an object that is only guarded by ``ManagedObjectContext/detectConflicts(for:)``.
    public let changedProperties: [String]
    /// The values of the properties that were changed, here or in the store, by name.
    ///
    /// It has no to-manys and no derived attributes.
    public let values: [String: Values]
    /// The version of the row in the store, for a client that decides again.
    ///
    /// It is nil if the row was deleted, and for a child context if a parent has unsaved changes of the object.
    public internal(set) var version: ObjectVersion?
    /// A Boolean value that indicates whether the row was deleted in the store.
    public let isDeleted: Bool
    /// A Boolean value that indicates whether the row has another version than the program named with
    /// ``ManagedObjectContext/existingObject(with:version:)``, or with `writeData(of:_:from:version:)`.
    ///
    /// Then ``properties`` has the changed properties, and ``Values/base`` the stored values.
    public internal(set) var isOfNamedVersion = false
    /// A Boolean value that indicates whether the object is to be deleted here.
    public let isDeletedHere: Bool

    /// The three values of a property that a conflict compares, in the form of `value(forKey:)`; to-ones are
    /// ids.
    public struct Values: Sendable {
        /// The value when the row was read.
        public let base: (any Sendable)?
        /// The value here.
        public let local: (any Sendable)?
        /// The value in the store; nil also if the row was deleted.
        public let stored: (any Sendable)?
    }

    /// The object and the properties concerned; no values.
    public var description: String {
        let what =
            if isDeleted {
                "was deleted in the store"
            } else if isOfNamedVersion {
                "has another version in the store than the one passed to existingObject(with:version:) or "
                    + "writeData(of:_:from:version:)"
            } else if properties.isEmpty {
                "has another version with the same values in the store"
            } else {
                "has other values of \(properties.joined(separator: ", ")) in the store"
            }
        let here =
            isDeletedHere
            ? "deleted here"
            : changedProperties.isEmpty
                ? "not changed here" + (isOfNamedVersion ? "" : ", but guarded by detectConflicts(for:)")
                : "changed here in \(changedProperties.joined(separator: ", "))"
        return "\(entityName) \(objectID.shortText) \(what) and was \(here)"
    }
}
