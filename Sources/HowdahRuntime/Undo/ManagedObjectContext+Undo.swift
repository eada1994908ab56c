import HowdahModel

extension ManagedObjectContext {
    /// Takes back the last group of changes; see ``UndoStack/undo()``. Nothing happens without an ``undoManager``.
    ///
    /// Source: Core Data's `undo()`.
    public func undo() { undoManager?.undo() }

    /// Does again what the last ``undo()`` took back; see ``UndoStack/redo()``.
    ///
    /// Source: Core Data's `redo()`.
    public func redo() { undoManager?.redo() }

    /// Begins or ends to keep what was before each change.
    func adoptUndoStack(replacing old: UndoStack?) {
        guard undoManager !== old else { return }
        old?.removeAllActions()
        old?.context = nil
        if let undoManager {
            precondition(
                undoManager.context == nil, "an undo stack belongs to one context; make another for this one")
            undoManager.context = self
        }
        takeEvent()
        watchIfAsked()
    }

    /// Notes what a refresh is about to drop: the object's changes, and the places it has in ordered lists.
    func noteRefresh(of object: ManagedObject) {
        guard event != nil else { return }
        event?.noteAll(object)
        event?.dropAsRead(object)
        for (_, state) in object.editedLists where state.isLoaded { event?.noteListEdit(object, state) }
        for (slot, original) in object.changes?.originals ?? [] {
            guard case .toOne(let former) = original, object.layout.relationship(slot).inverseIsOrdered,
                let inverse = object.layout.relationship(slot).inverse
            else { continue }
            for owner in [former.object, object._toOneField(at: slot).object] {
                if let owner, let state = owner._toManyState(at: inverse) {
                    event?.noteListEdit(owner, state)
                }
            }
        }
    }

    /// Makes an object whose deletion was saved a new one under its old id; false where another object stands for
    /// that id by now.
    func reregister(_ object: ManagedObject, wasStored: Bool) -> Bool {
        if let known = identityMaps.find(root: object.layout.root, key: object.key) {
            // Somebody asked for the id: the fault has no row to be filled from, unless others stored one.
            guard known.isFault else { return false }
            identityMaps.remove(known)
            known.detach(from: self)
            known._flags.insert(.vanished)
        }
        object.owner = self
        object.changes = nil
        object._flags.subtract([
            .deleted, .detached, .prepared, .updated, .listed, .fault, .vanished, .partial,
        ])
        object._flags.formUnion(flags(.inserted))
        if wasStored { object.version += 1 << 20 }
        object.clearChanges()
        object.markAllWritten()
        for slot in object.layout.relationshipSlots {
            if case .toMany = object.layout.slots[slot].kind {
                object._assignToMany(nil, at: slot)
            } else {
                object._assignToOne(.none, at: slot)
            }
        }
        identityMaps.insert(object)
        inserted.append(object)
        return true
    }

    /// Puts an object back into collections that were loaded while it was about to be deleted.
    func reattach(_ object: ManagedObject) {
        for slot in object.layout.relationshipSlots {
            let relationship = object.layout.relationship(slot)
            guard relationship.inverseIsToMany, let inverse = relationship.inverse else { continue }
            var others = object._toManyState(at: slot)?.members ?? []
            if !relationship.isToMany, let destination = object._toOneField(at: slot).object {
                others.append(destination)
            }
            for other in others {
                guard let state = other._toManyState(at: inverse), state.isLoaded else { continue }
                state.add(object)
                state.forgetEdit(of: object)
            }
        }
    }
}
