import HowdahModel

/// What a save will do once delete rules were followed: still objects and rows, no SQL.
struct SettledChanges {
    var inserted: [ManagedObject]
    /// Objects and the slots to be written, those included that lose their destination with this save.
    var updated: [ChangeSet.Update]
    var links: [LinkChanges.Change]
    /// The changed to-manys that are kept by their owners' rows.
    var lists: [ListChange] = []
    /// Owners of such to-manys that are not loaded and lose members, by root entity: their versions move.
    var movedOwners: [Int: Set<Int64>] = [:]
    /// The rows to be deleted, by root entity and key; not all of them are loaded.
    var deletedRows: [Int: [Int64: DeletedRow]] = [:]
    /// The rows that lose a foreign key, and are not updated otherwise.
    var nullifications: [Nullification: [Int64]] = [:]
    /// Deleted rows whose links no foreign key takes away.
    var purges: [JoinColumns: [Int64]] = [:]
    /// Whether the rows to be written are locked already, with their versions compared.
    var isLocked: Bool
    /// New objects that are gone before they were ever stored.
    var dropped: Set<ObjectIdentifier> = []
    /// When the save happens, for attributes that keep that; nil value where nobody asked.
    var moment = Value.null

    struct DeletedRow {
        let entity: Int
        let object: ManagedObject?
    }

    /// A foreign key of an entity.
    struct Nullification: Hashable {
        let entity: Int
        let slot: Int

        /// Indicates whether losing the foreign key moves the row's version.
        ///
        /// A relationship without an inverse refers to a row that is gone: its owner did not change, and a foreign key's own action
        /// would not move the version either.
        func movesVersions(_ layouts: [EntityLayout]) -> Bool {
            layouts[entity].relationship(slot).inverse != nil
        }
    }

    /// The objects that are stored or deleted, in that order; of rows that were never loaded there is none.
    var savedObjects: [ManagedObject] {
        inserted + updated.map(\.object) + deletedRows.values.flatMap { $0.values.compactMap(\.object) }
    }

    /// Indicates whether a row loses a foreign key, which moves its version.
    func isNullified(_ key: Int64, root: Int, layouts: [EntityLayout]) -> Bool {
        nullifications.contains {
            layouts[$0.key.entity].root == root && $0.key.movesVersions(layouts) && $0.value.contains(key)
        }
    }

    /// Takes out a row that is written as a whole instead.
    mutating func forgetNullifications(of key: Int64, root: Int, layouts: [EntityLayout]) {
        for place in nullifications.keys where layouts[place.entity].root == root {
            nullifications[place]?.removeAll { $0 == key }
            if nullifications[place]?.isEmpty == true { nullifications[place] = nil }
        }
    }

    func isDeleted(_ object: ManagedObject) -> Bool {
        object._flags.contains(.deleted) || dropped.contains(ObjectIdentifier(object))
            || deletedRows[object.layout.root]?[object.key] != nil
    }

    /// The destination that a to-one will have after the save: none where the present one is being deleted, unless the
    /// rule leaves its key as it is.
    func destination(of object: ManagedObject, slot: Int, layouts: [EntityLayout]) -> ToOneField {
        let field = object._toOneField(at: slot)
        guard field.entity >= 0 else { return .none }
        let root = layouts[Int(field.entity)].root
        let isGone = field.object.map(isDeleted) ?? (deletedRows[root]?[field.key] != nil)
        if !isGone { return field }
        let isStored = field.object?._flags.contains(.inserted) != true
        return isStored && object.layout.relationship(slot).outlivesDestination(layouts) ? field : .none
    }

    /// The slots of foreign keys that lead to something this save deletes.
    func lostDestinations(of object: ManagedObject, layouts: [EntityLayout]) -> [Int] {
        object.layout.relationshipSlots.filter { slot in
            !object.layout.slots[slot].columns.isEmpty && object._toOneField(at: slot).entity >= 0
                && destination(of: object, slot: slot, layouts: layouts).isNone
        }
    }
}

extension RelationshipLayout {
    /// Whether a deletion of the destination leaves the foreign key as it is.
    func outlivesDestination(_ layouts: [EntityLayout]) -> Bool {
        let rule = inverse.map { layouts[destination].relationship($0).deleteRule } ?? deleteRule
        return rule == .noAction
    }
}
