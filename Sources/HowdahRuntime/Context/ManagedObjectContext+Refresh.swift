import HowdahModel

extension ManagedObjectContext {
    /// Makes an object show what the store holds now: it becomes a fault, and its changes are dropped.
    ///
    /// Nothing is sent; the next access reads the row. New objects stay as they are. If the context decodes rows, because
    /// an attribute's `init(transformed:)` or `init(from:)` calls this, it waits for the end of the load, and objects
    /// that have changes then stay as they are. The same holds while a save stores the changes.
    ///
    /// Source: Core Data's `refresh(_:mergeChanges:)` with `false`.
    public func refresh(_ object: ManagedObject) {
        let object = object.resolved
        guard object.owner === self, !object.isDisjointFromStore, !object.isDetached else { return }
        // What is being loaded would be taken for a row that is gone.
        if registry.isLoading, isDecoding || changes.isCarryingOut { return registry.noteToRefresh(object) }
        recorder.noteDrop(of: object)
        recorder.noteRefresh(of: object)
        unobserved {
            // What the hook changes is dropped with the rest.
            object.willTurnIntoFault()
            guard object.owner === self else { return }
            restoreInverses(of: object)
            object.turnIntoFault()
            reapplyChanges(of: object)
            object.didTurnIntoFault()
        }
    }

    /// Makes an object show what the store holds now, where `mergeChanges` is true with its changes on top.
    ///
    /// With changes to keep, one statement reads the row at once, and the changed properties keep their values;
    /// whoever changed the row meanwhile is no conflict for the next save any more. Without changes the object becomes
    /// a fault, as by ``refresh(_:)``.
    ///
    /// Source: Core Data's `refresh(_:mergeChanges:)`.
    ///
    /// - Throws: `FetchError` with `objectNotFound` where a changed object's row is gone; the object is then as it
    ///   was. `database` where the server could not be asked. `invalidRequest` while the context decodes rows, from an
    ///   attribute's `init(transformed:)` or `init(from:)`.
    public func refresh(_ object: ManagedObject, mergeChanges: Bool) throws {
        let object = object.resolved
        guard mergeChanges, object.owner === self, object._flags.contains(.updated) else {
            return refresh(object)
        }
        _ = try rebase([object])
    }

    /// Makes all objects show what the store holds now, with unsaved changes on top: unchanged objects become faults,
    /// changed ones are read at once, a statement per hierarchy.
    ///
    /// Source: Core Data's `refreshAllObjects()`.
    ///
    /// - Throws: as ``refresh(_:mergeChanges:)``.
    public func refreshAllObjects() throws {
        try checkRefresh()
        forgetParts()
        let unchanged = registry.all.filter { !$0.hasChanges && !$0.isFault }
        _ = try rebase(updatedObjects)
        _ = try rebase(refreshUnchanged(unchanged))
    }

    /// Makes faults of objects that had no changes when they were listed.
    ///
    /// - Returns: those that hooks of others have changed since, whose changes stay.
    func refreshUnchanged(_ objects: [ManagedObject]) -> [ManagedObject] {
        var changed: [ManagedObject] = []
        for object in objects where object.owner === self && !object.isFault {
            if object.hasChanges {
                if object._flags.contains(.updated) { changed.append(object) }
            } else {
                refresh(object)
            }
        }
        return changed
    }

    /// Reads the rows of changed objects anew and puts the changes back on top of them.
    ///
    /// - Parameter mayBeGone: whether rows may be gone; their objects are then as they were.
    /// - Returns: those objects.
    /// - Throws: `FetchError.objectNotFound` for the first whose row is gone and must not be; all are then as they were.
    func rebase(_ objects: [ManagedObject], mayBeGone: Bool = false) throws -> [ManagedObject] {
        try throwFailure()
        try checkRefresh()
        guard !objects.isEmpty else { return [] }
        defer { releasePostponed() }
        // What the rows' types call while they are decoded finds objects without their changes.
        let (gone, left) = try loading {
            try changes.carryingOut { try reread(objects, mayBeGone: mayBeGone) }
        }
        for object in left where object.owner === self { object.awakeFromSnapshotEvents(.refresh) }
        return gone
    }

    /// Reads the rows anew and puts the changes on top; hooks wait until all of them are there again.
    private func reread(
        _ objects: [ManagedObject], mayBeGone: Bool
    ) throws -> (gone: [ManagedObject], left: [ManagedObject]) {
        let pending = objects.map(PendingValues.init)
        for object in objects { object._flags.insert(.fault) }
        do {
            try load(objects)
            if !mayBeGone, let gone = objects.first(where: \.isFault) { throw gone.notFound }
        } catch {
            for values in pending { values.putBack() }
            registry.forgetFilled(objects)
            throw store.readError(error)
        }
        var gone: [ManagedObject] = []
        var left: [ManagedObject] = []
        // All of them first: what one is given back below may be what another one says.
        for (object, values) in zip(objects, pending) {
            if object.isFault {
                values.putBack()
                gone.append(object)
            } else {
                values.reapply()
                changes.noteReferences(of: object)
                left.append(object)
            }
        }
        for object in left { recorder.noteRefresh(of: object) }
        releaseMembers(of: left)
        return (gone, left)
    }

    /// Has the members of objects read again, with what unsaved changes made of them on top.
    func releaseMembers(of objects: [ManagedObject]) {
        unobserved {
            for object in objects where object.owner === self {
                let lists = object.editedLists.compactMap { slot, state in
                    state.isLoaded ? (slot: slot, members: state.members) : nil
                }
                object.releaseMembers()
                reapplyChanges(of: object)
                for list in lists { reorder(object, list.slot, as: list.members) }
            }
        }
    }

    /// Puts the order that a list was given here on top of the members it has in the store; those that came in
    /// meanwhile follow.
    func reorder(_ owner: ManagedObject, _ slot: Int, as members: [ManagedObject]) {
        guard let state = owner.loadedList(slot) else { return }
        let present = Set(state.members.map(ObjectIdentifier.init))
        let known = Set(members.map(ObjectIdentifier.init))
        let order =
            members.filter { present.contains(ObjectIdentifier($0)) }
            + state.members.filter { !known.contains(ObjectIdentifier($0)) }
        owner.noteEdit(of: state)
        // Which links were changed is known; who left by a column of its own row is not.
        if case .join = owner.layout.relationship(slot).storage {} else { state.keepEdited() }
        noteTouched(state)
        state.reorder(order)
    }

    /// Drops all changes: new objects are forgotten, deleted ones return, changed ones get their values back.
    ///
    /// If a save is storing the changes, because an attribute's `transformed()` or a log handler calls this, it is done
    /// when the save has ended, which may have stored them.
    ///
    /// Source: Core Data's `rollback()`.
    public func rollback() {
        if changes.postpones(.rollback) { return }
        let reverted = updatedObjects + deletedObjects
        let change = changeOfRollback()
        for object in updated where object._flags.contains(.updated) { object.revertChanges() }
        for object in deleted where object.owner === self { object._flags.subtract([.deleted, .prepared]) }
        for object in inserted where object._flags.contains(.inserted) {
            forget(object)
            object.detach(from: self)
        }
        for state in changes.touched { state.revert() }
        for object in registry.all {
            object.releaseMembers()
            object.forgetPartners()
            object._flags.remove(.linksChanged)
        }
        changes.removeAll()
        forgetFailure()
        recorder.dropEvent()
        recorder.undo?.removeAllActions()
        if let change, !change.isEmpty { tell(.didChange(change)) }
        for object in reverted where object.owner != nil { object.awakeFromSnapshotEvents(.rollback) }
    }

    /// Lets go of what a save or a refresh had to keep until its end.
    func releasePostponed() {
        switch changes.takePostponed() {
        case .rollback?: rollback()
        case .reset?: reset()
        case nil: break
        }
    }

    /// Takes an object whose changes are dropped out of where they put it, and puts it back where it was.
    func restoreInverses(of object: ManagedObject) {
        for (slot, original) in object.changes?.originals ?? [] {
            guard case .toOne(let field) = original,
                let relationship = object.layout.slots[slot].relationship, !relationship.isTransient,
                let inverse = relationship.inverse
            else { continue }
            let former =
                field.object
                ?? (field.entity >= 0
                    ? registry.find(root: layouts[Int(field.entity)].root, key: field.key) : nil)
            let present = object._toOneField(at: slot).object
            guard former !== present else { continue }
            if relationship.isSelfInverse {
                // The present partner's own change stays, and then also what it did to the former one.
                let isKept = present.map { $0._toOneField(at: inverse).object === object } ?? false
                if !isKept, let former, !former.isFault, former.destination(inverse) == nil {
                    former._assignToOne(
                        ToOneField(key: object.key, entity: Int32(object.layout.index), object: object),
                        at: inverse)
                    noteReference(of: former, inverse, to: object)
                }
            } else if relationship.inverseIsToMany {
                present?.toManyState(inverse).restore(object, isStored: false)
                former?.toManyState(inverse).restore(object, isStored: true)
            } else {
                for partner in [former, present] {
                    guard let partner, !partner.isFault else { continue }
                    partner._assignToOne(partner._flags.contains(.inserted) ? .none : .unknown, at: inverse)
                }
            }
        }
    }

    /// Gives a refreshed object back what unsaved changes made of its relationships: those of other objects, and its own
    /// where it keeps them and leads to itself.
    func reapplyChanges(of object: ManagedObject) {
        for reference in pendingReferences(to: object) {
            let (other, slot) = (reference.object, reference.slot)
            guard let relationship = other.layout.slots[slot].relationship,
                let inverse = relationship.inverse,
                other._flags.contains(.inserted) || other.isWritten(slot),
                case .foreignKey = relationship.storage
            else { continue }
            if relationship.inverseIsToMany {
                object.noteMember(other, inverse, isInsertion: true)
            } else {
                // If the relationship is its own inverse, this side has a column, too.
                if relationship.isSelfInverse { object._willWrite(inverse) } else { object._willRead() }
                object._assignToOne(
                    ToOneField(key: other.key, entity: Int32(other.layout.index), object: other), at: inverse)
                noteReference(of: object, inverse, to: other)
            }
        }
        for link in changes.links(of: object) {
            noteMembership(of: link)
        }
    }
}

extension ManagedObject {
    /// Has the other sides of one-to-ones looked up again: they have no column of their own, and no original to
    /// put back.
    final func forgetPartners() {
        guard !isFault else { return }
        for slot in layout.relationshipSlots {
            guard case .toOne(let relationship) = layout.slots[slot].kind,
                case .inverse = relationship.storage
            else { continue }
            _assignToOne(.unknown, at: slot)
        }
    }
}
