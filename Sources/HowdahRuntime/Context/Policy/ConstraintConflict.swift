public import HowdahModel

/// An object whose unique values another row of the store already has.
///
/// Snapshots are by property name, as those of ``MergeConflict``.
///
/// Source: Core Data's `NSConstraintConflict`.
public struct ConstraintConflict {
    /// The entity that declares the constraint.
    public let entityName: String
    /// The properties of the constraint.
    public let constraint: [String]
    /// The values that both have.
    public let constraintValues: [String: Any?]
    /// The id of the object that has the values in the store; it need not be loaded.
    public let databaseObjectID: ObjectID<ManagedObject>
    /// The stored values.
    public let databaseSnapshot: [String: Any?]
    /// The object in the context: a new one, or one that was given the values.
    public let conflictingObject: ManagedObject
    let row: StoredRow

    init(_ object: ManagedObject, _ unique: StoreSchema.Unique, key: Int64, _ row: StoredRow) {
        entityName = unique.origin.entity
        constraint = unique.origin.properties
        conflictingObject = object
        self.row = row
        let snapshots = MergeConflict(object, row)
        databaseSnapshot = snapshots.persistedSnapshot ?? [:]
        let present = snapshots.objectSnapshot
        constraintValues = present.filter { unique.origin.properties.contains($0.key) }
        databaseObjectID = object.id(withKey: key)
    }
}
