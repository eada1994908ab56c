import HowdahModel

/// The changes of a save after delete rules were applied: still objects and rows, no SQL.
struct SettledChanges {
    var inserted: [ManagedObject]
    /// Objects and the slots to write, including those that lose their destination with this save.
    var updated: [ChangeSet.Update]
    var links: [LinkChanges.Change]
    /// The changed to-manys that are kept by their owners' rows.
    var lists: [ListChange] = []
    /// Unloaded owners of such to-manys that lose members, by root entity: their versions move.
    var movedOwners: [Int: Set<Int64>] = [:]
    /// The rows to delete, by root entity and key; some of them are not loaded.
    var deletedRows: [Int: [Int64: DeletedRow]] = [:]
    /// The rows that lose a foreign key, and are not updated otherwise.
    var nullifications: [Nullification: [Int64]] = [:]
    /// The rows that lose a deleted row from a relationship and are not written, by their entity and its slot. They
    /// are known only if the store has a history.
    var otherEnds: [Nullification: [Int64]] = [:]
    /// Deleted rows whose links no foreign key deletes.
    var purges: [JoinColumns: [Int64]] = [:]
    /// A Boolean value that indicates whether the rows to write are locked already, with their versions
    /// compared.
    var isLocked: Bool
    /// New objects that are deleted before they were stored.
    var dropped: Set<ObjectIdentifier> = []
    /// The time of the save, for attributes that keep it; a nil value if there are none.
    var moment = Value.null

    struct DeletedRow {
        let entity: Int
        let object: ManagedObject?
        /// The preserved values of the row, as a JSON object; nil if there are none.
        var tombstone: String?
    }

    /// A foreign key of an entity.
    struct Nullification: Hashable {
        let entity: Int
        let slot: Int

        /// Returns a Boolean value that indicates whether losing the foreign key moves the row's version.
        ///
        /// A relationship without an inverse refers to a deleted row. Its owner did not change, and a foreign
        /// key's own action would not move the version either.
        func movesVersions(_ layouts: [EntityLayout]) -> Bool {
            layouts[entity].relationship(slot).inverse != nil
        }
    }

    /// Indicates whether no row changes, as if new objects were deleted before they were stored.
    var isEmpty: Bool {
        inserted.isEmpty && updated.isEmpty && links.isEmpty && lists.isEmpty && movedOwners.isEmpty
            && deletedRows.isEmpty && nullifications.isEmpty && purges.isEmpty
    }

    /// Indicates whether the save does nothing but update one row, as most do.
    var isOneUpdate: Bool {
        updated.count == 1 && inserted.isEmpty && links.isEmpty && lists.isEmpty && movedOwners.isEmpty
            && deletedRows.isEmpty && nullifications.isEmpty && purges.isEmpty && dropped.isEmpty
    }

    /// The objects that are stored or deleted, in that order, without those of unloaded rows.
    var savedObjects: [ManagedObject] {
        inserted + updated.map(\.object) + deletedRows.values.flatMap { $0.values.compactMap(\.object) }
    }

    /// Returns a Boolean value that indicates whether a row loses a foreign key, which moves its version.
    func isNullified(_ key: Int64, root: Int, layouts: [EntityLayout]) -> Bool {
        nullifications.contains {
            layouts[$0.key.entity].root == root && $0.key.movesVersions(layouts) && $0.value.contains(key)
        }
    }

    /// Removes the nullifications of a row that is written as a whole instead.
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

    /// Returns the destination of a to-one after the save.
    ///
    /// If the present one is being deleted, there is none, unless the rule keeps the key.
    func destination(of object: ManagedObject, slot: Int, layouts: [EntityLayout]) -> _ToOneField {
        let field = object._toOneField(at: slot)
        guard field.entity >= 0 else { return .none }
        let root = layouts[Int(field.entity)].root
        let isGone = field.object.map(isDeleted) ?? (deletedRows[root]?[field.key] != nil)
        if !isGone { return field }
        let isStored = field.object?._flags.contains(.inserted) != true
        return isStored && object.layout.relationship(slot).outlivesDestination(layouts) ? field : .none
    }

    /// Returns the slots of foreign keys that refer to rows that this save deletes.
    func lostDestinations(of object: ManagedObject, layouts: [EntityLayout]) -> [Int] {
        object.layout.relationshipSlots.filter { slot in
            !object.layout.slots[slot].columns.isEmpty && object._toOneField(at: slot).entity >= 0
                && destination(of: object, slot: slot, layouts: layouts).isNone
        }
    }
}

extension RelationshipLayout {
    /// Returns a Boolean value that indicates whether a deletion of the destination keeps the foreign key.
    func outlivesDestination(_ layouts: [EntityLayout]) -> Bool {
        let rule = inverse.map { layouts[destination].relationship($0).deleteRule } ?? deleteRule
        return rule == .noAction
    }
}
