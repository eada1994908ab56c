import HowdahModel

extension ManagedObjectContext {
    /// The conflicts that the last attempt of a save found; they are not kept.
    func takeConflicts() -> [MergeConflict] {
        defer { conflicts = [] }
        return conflicts
    }

    /// The rows in the way of unique values that the last attempt of a save found; they are not kept.
    func takeConstraintConflicts() -> [ConstraintConflict] {
        defer { constraintConflicts = [] }
        return constraintConflicts
    }

    /// Takes an object whose row is gone out of the graph, and with it what was to be saved of it.
    func forgetDeletedRow(_ object: ManagedObject) {
        restoreInverses(of: object)
        object._flags.subtract([.updated, .linksChanged, .listChanged])
        links.forget(object)
        if let place = deleted.firstIndex(where: { $0 === object }) {
            deleted.remove(at: place)
            if place < propagated { propagated -= 1 }
        }
        forgetDeleted(object)
    }

    /// Makes an object whose row is gone one that the save stores again, under the id it had and with a version that
    /// nobody has read: others may have changed the row before it went.
    func reinsert(_ object: ManagedObject) {
        object._willRead()
        object.version += 1 << 20
        object.clearChanges()
        object.markAllWritten()
        object._flags.insert(.inserted)
        inserted.append(object)
        for slot in object.layout.relationshipSlots {
            guard case .join = object.layout.relationship(slot).storage,
                let state = object._toManyState(at: slot)
            else { continue }
            for member in state.isLoaded ? state.members : state.gained {
                // The links went with the row.
                noteLink(object, member, slot: slot, isInsertion: true, isCertain: true)
            }
        }
        keepPlaces(of: object)
    }

    /// Has the lists that an object is in written again: its place in them went with the row.
    private func keepPlaces(of object: ManagedObject) {
        for slot in object.layout.relationshipSlots {
            guard case .toOne(let relationship) = object.layout.slots[slot].kind,
                relationship.inverseIsOrdered,
                let inverse = relationship.inverse, let list = object._toOneField(at: slot).object,
                list.owner === self, let state = list._toManyState(at: inverse), state.isLoaded
            else { continue }
            list.noteEdit(of: state)
            noteTouched(state)
        }
    }

    /// Puts lists that were changed here on top of the stored ones; those that are not kept are read again.
    func mergeLists(of object: ManagedObject, keeping lists: [(slot: Int, members: [ManagedObject])]) {
        object._flags.remove(.listChanged)
        object.releaseMembers()
        reapplyChanges(of: object)
        for list in lists { reorder(object, list.slot, as: list.members) }
    }
}
