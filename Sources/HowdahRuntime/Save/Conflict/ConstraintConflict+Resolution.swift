import HowdahModel

extension ConstraintConflict {
    /// Resolves the conflict in memory. It is false if two stored rows would have to become one.
    ///
    /// - Throws: `FetchError` for a stored value that the object's class cannot read. The object is then
    ///   unchanged.
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
