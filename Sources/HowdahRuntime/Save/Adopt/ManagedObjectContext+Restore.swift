extension ManagedObjectContext {
    /// Resets objects and collections after a rollback restored the store to its state before the
    /// transaction.
    ///
    /// It runs once, after the journals of all its saves made their changes pending again. All other values
    /// were read from, or written to, a state that no longer exists.
    func settleAfterRollback() {
        let pending = insertedObjects + updatedObjects
        let partners = Set(pending.flatMap(partners).map(ObjectIdentifier.init))
        keepEditedLists()
        for object in registry.all where !object._flags.contains(.inserted) {
            // A partner must not be read anew: its row would take it out of a pending one-to-one relationship.
            recorder.noteRefresh(of: object)
            if object.hasChanges || partners.contains(ObjectIdentifier(object)) {
                object.releaseMembers()
            } else {
                object.turnIntoFault()
            }
        }
        noteMemberships()
        for memento in changes.takeMementos() { memento.restore() }
    }

    /// Records the lists that were edited and not saved. The journals have those that were saved.
    private func keepEditedLists() {
        let known = Dictionary(grouping: changes.mementos) { ObjectIdentifier($0.owner) }
        for object in registry.all where !object._flags.contains(.inserted) {
            let slots = Set(known[ObjectIdentifier(object), default: []].map(\.slot))
            for (slot, state) in object.editedLists where state.isLoaded && !slots.contains(slot) {
                changes.note(ListMemento(object, slot, numbers: state.numbers))
            }
        }
    }

    /// Applies all unsaved changes to the other sides of relationships, which were released.
    func noteMemberships() {
        for object in insertedObjects + updatedObjects { noteMemberships(of: object) }
        for link in links.all { noteMembership(of: link) }
    }

    /// Returns the other sides of an object's one-to-one relationships, whose fields were changed together
    /// with its own.
    private func partners(of object: ManagedObject) -> [ManagedObject] {
        object.layout.relationshipSlots.compactMap { slot in
            guard case .toOne(let relationship) = object.layout.slots[slot].kind,
                !relationship.inverseIsToMany, case .foreignKey = relationship.storage
            else { return nil }
            return object._toOneField(at: slot).object
        }
    }

    /// Applies an object's unsaved references to the other sides that were released.
    private func noteMemberships(of object: ManagedObject) {
        for slot in object.layout.relationshipSlots {
            guard case .toOne(let relationship) = object.layout.slots[slot].kind,
                case .foreignKey = relationship.storage, let inverse = relationship.inverse,
                object._flags.contains(.inserted) || object.isWritten(slot)
            else { continue }
            let destination = object._toOneField(at: slot).object
            if relationship.inverseIsToMany {
                object.formerDestination(slot)?.noteMember(object, inverse, isInsertion: false)
                destination?.noteMember(object, inverse, isInsertion: true)
            } else if let destination, !destination.isFault {
                destination._assignToOne(
                    _ToOneField(key: object.key, entity: Int32(object.layout.index), object: object),
                    at: inverse)
                noteReference(of: destination, inverse, to: object)
            }
        }
    }
}

extension ManagedObject {
    /// Returns the former destination of a changed to-one relationship.
    fileprivate final func formerDestination(_ slot: Int) -> ManagedObject? {
        for entry in changes?.originals ?? [] where entry.slot == slot {
            if case .toOne(let field) = entry.original { return field.object }
        }
        return nil
    }
}
