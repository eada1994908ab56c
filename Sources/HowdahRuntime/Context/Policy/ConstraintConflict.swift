public import HowdahModel

/// One object whose unique values the store has already, in another row.
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
    /// The object that has the values in the store; it need not be loaded.
    public let databaseObjectID: ObjectID<ManagedObject>
    /// The stored values.
    public let databaseSnapshot: [String: Any?]
    /// The object here: a new one, or one that was given the values.
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

    /// Resolves the conflict in memory; false where it cannot be: two stored rows never become one.
    ///
    /// - Throws: `FetchError` for a stored value that the object's class cannot read; the object is then as it was.
    func resolve(by type: MergePolicy.MergeType) throws -> Bool {
        guard type != .error, let context = conflictingObject.managedObjectContext else { return false }
        if conflictingObject._flags.contains(.inserted) {
            try context.adopt(row, key: databaseObjectID.key, by: conflictingObject, type)
        } else {
            guard type == .mergeByPropertyStoreTrump || type == .rollback else { return false }
            conflictingObject.revert(constraint)
        }
        let object = conflictingObject.resolved
        if object.owner != nil { object.awakeFromSnapshotEvents(.mergePolicy) }
        return true
    }
}
