import HowdahModel

extension ManagedObjectContext {
    /// Reverts the last group of changes; see ``UndoStack/undo()``. Without an ``undoManager``, nothing
    /// happens.
    ///
    /// Source: Core Data's `undo()`.
    public func undo() { undoManager?.undo() }

    /// Repeats the changes that the last ``undo()`` reverted; see ``UndoStack/redo()``.
    ///
    /// Source: Core Data's `redo()`.
    public func redo() { undoManager?.redo() }

    /// The undo stack that records changes; nil by default, and then nothing is recorded.
    ///
    /// A stack that you set begins empty: earlier changes cannot be undone. While it is set, delete rules are
    /// applied in memory, as with ``propagatesDeletesAtEndOfEvent``.
    ///
    /// Source: Core Data's `undoManager`.
    public var undoManager: UndoStack? {
        get { recorder.undo as? UndoStack }
        set {
            let former = undoManager
            guard newValue !== former else { return }
            recorder.record(with: newValue)
            former?.removeAllActions()
            former?.context = nil
            if let newValue {
                precondition(
                    newValue.context == nil,
                    "The undo stack belongs to another context. Create another one for this context.")
                newValue.context = self
            }
            takeEvent()
            watchIfAsked()
        }
    }

    /// Registers an object whose deletion was saved as a new one under its old id; false if another object
    /// has that id now.
    func reregister(_ object: ManagedObject, wasStored: Bool) -> Bool {
        if let known = registry.find(root: object.layout.root, key: object.key) {
            // Somebody asked for the id: the fault has no row to be filled from, unless others stored one.
            guard known.isFault else { return false }
            registry.remove(known)
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
        registry.insert(object)
        changes.insert(object)
        return true
    }

    /// Adds an object again to collections that were loaded while it was about to be deleted.
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
