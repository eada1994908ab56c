import HowdahModel

extension ManagedObjectContext {
    /// Removes an object whose row was deleted from the graph, and its unsaved changes with it.
    func forgetDeletedRow(_ object: ManagedObject) {
        restoreInverses(of: object)
        object._flags.subtract([.updated, .linksChanged, .listChanged])
        changes.forgetLinks(of: object)
        forgetDeleted(object)
    }

    /// Prepares an object whose row was deleted to be stored again, under its former id.
    ///
    /// Its version is one that no session has read: another session may have changed the row before it was
    /// deleted.
    func reinsert(_ object: ManagedObject) {
        object._willRead()
        object.version += 1 << 20
        let former = ChangeRecord()
        for slot in object.layout.slots.indices where !object.layout.slots[slot].columns.isEmpty {
            former.keep(object.read(slot), of: slot)
        }
        object.clearChanges()
        object.markAllWritten()
        let record = object.changes ?? ChangeRecord()
        record.former = former
        object.changes = record
        object._flags.insert(.inserted)
        changes.insert(object)
        for slot in object.layout.relationshipSlots {
            guard let state = object._toManyState(at: slot) else { continue }
            let relationship = object.layout.relationship(slot)
            let members = state.isLoaded ? state.members : state.gained
            if members.isEmpty { continue }
            if case .join = relationship.storage {
                // The links went with the row.
                for member in members {
                    noteLink(object, member, slot: slot, isInsertion: true, isCertain: true)
                }
            }
            if state.isKeptByOwner {
                // Members get their places anew, together with the row.
                object.noteEdit(of: state)
                noteTouched(state)
            }
        }
        keepPlaces(of: object)
        let ownsLists = object.layout.relationshipSlots.contains { object.layout.relationship($0).isOrdered }
        if ownsLists { for other in inserted where other.version > 0 { keepPlaces(of: other) } }
    }

    /// Merges an object that was to be stored again with a row that another context stored first.
    ///
    /// The object then counts as only changed.
    ///
    /// - Throws: `FetchError` if the object's class cannot read a stored value that is to be taken.
    func mergeStoredAgain(
        _ object: ManagedObject, with stored: StoredRow, by type: MergePolicy.MergeType
    ) throws {
        let (former, lists) = (object.changes?.former, object._flags.intersection(.listChanged))
        object._flags.remove(.inserted)
        changes.removeInserted(object)
        object.clearChanges()
        object.changes = former
        object.markAllWritten()
        object._flags.formUnion(lists)
        noteUpdate(object)
        // Of one that came back by undo, it is not known what was changed.
        let keepsAll = former == nil && type == .mergeByPropertyObjectTrump
        try object.merge(stored, by: keepsAll ? .overwrite : type)
    }

    /// Marks the lists that contain an object for writing. Its place in them was deleted with its row.
    private func keepPlaces(of object: ManagedObject) {
        for slot in object.layout.relationshipSlots {
            guard case .toOne(let relationship) = object.layout.slots[slot].kind,
                relationship.inverseIsOrdered, let inverse = relationship.inverse
            else { continue }
            let field = object._toOneField(at: slot)
            guard field.entity >= 0,
                let list = field.object
                    ?? registry.find(root: layouts[Int(field.entity)].root, key: field.key),
                list.owner === self
            else { continue }
            // The list of an owner that is stored again, too, need not be loaded: no row is left in it.
            let isNew = list._flags.contains(.inserted)
            if isNew { list.toManyState(inverse).add(object) }
            guard let state = list._toManyState(at: inverse), state.isLoaded || isNew else { continue }
            if field.object == nil { object._assignToOne(_ToOneField(list), at: slot) }
            list.noteEdit(of: state)
            noteTouched(state)
        }
    }

    /// Applies lists that were changed here to the stored ones. Lists that are not kept are read again.
    func mergeLists(of object: ManagedObject, keeping lists: [(slot: Int, members: [ManagedObject])]) {
        object._flags.remove(.listChanged)
        object.releaseMembers()
        reapplyChanges(of: object)
        for list in lists { reorder(object, list.slot, as: list.members) }
    }
}
