import HowdahModel

extension ManagedObjectContext {
    /// Turns an object into a fault that shows the store's values, and drops its changes.
    ///
    /// The call sends nothing; the next access reads the row. New objects stay unchanged.
    ///
    /// If an attribute's `init(transformed:)` or `init(from:)` calls this while the context decodes rows, the
    /// refresh waits until the load has ended. Objects that have changes then stay unchanged. The same holds
    /// while a save stores the changes.
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

    /// Refreshes an object with the store's values; if `mergeChanges` is true, its changes are kept on top.
    ///
    /// If there are changes to keep, one statement reads the row at once, and the changed properties keep
    /// their values. A change that another session made before is no longer a conflict for the next save.
    /// Without changes, the object becomes a fault, as by ``refresh(_:)``.
    ///
    /// Source: Core Data's `refresh(_:mergeChanges:)`.
    ///
    /// - Throws: `FetchError` with `objectNotFound` if a changed object's row does not exist; the object is
    ///   then unchanged. `database` if the query fails. `invalidRequest` while the context decodes rows, from
    ///   an attribute's `init(transformed:)` or `init(from:)`, or stores its changes.
    public func refresh(_ object: ManagedObject, mergeChanges: Bool) throws {
        let object = object.resolved
        guard mergeChanges, object.owner === self, object._flags.contains(.updated) else {
            return refresh(object)
        }
        _ = try rebase([object])
    }

    /// Refreshes all objects with the store's values, and keeps unsaved changes on top.
    ///
    /// Unchanged objects become faults. Changed ones are read at once, with one statement per hierarchy.
    ///
    /// Source: Core Data's `refreshAllObjects()`.
    ///
    /// - Throws: The errors of ``refresh(_:mergeChanges:)``.
    public func refreshAllObjects() throws {
        try checkRefresh()
        forgetParts()
        let unchanged = registry.all.filter { !$0.hasChanges && !$0.isFault }
        _ = try rebase(updatedObjects)
        _ = try rebase(refreshUnchanged(unchanged))
    }

    /// Turns objects into faults that had no changes when they were listed.
    ///
    /// - Returns: The objects that hooks have changed since. Their changes stay.
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

    /// Reads the rows of changed objects again and restores the changes on top of them.
    ///
    /// - Parameter mayBeGone: Indicates whether rows may be deleted; their objects are then unchanged.
    /// - Returns: The objects whose rows are deleted.
    /// - Throws: `FetchError.objectNotFound` for the first deleted row if there must be none. All objects are
    ///   then unchanged.
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

    /// Reads the rows again and applies the changes on top. Hooks wait until all rows are read.
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

    /// Makes the members of objects load again, with unsaved changes on top.
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

    /// Applies a list's unsaved order to the members that it has in the store; members added in between
    /// follow.
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

    /// Drops all changes: new objects are forgotten, deleted ones return, changed ones get their former
    /// values.
    ///
    /// If an attribute's `transformed()` or a log handler calls this while a save stores the changes, the
    /// rollback waits until the save has ended. The save may have stored them.
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

    /// Runs the reset or rollback that a save or a refresh had to postpone.
    func releasePostponed() {
        switch changes.takePostponed() {
        case .rollback?: rollback()
        case .reset?: reset()
        case nil: break
        }
    }

    /// Removes an object whose changes are dropped from its new destinations, and restores it in the former
    /// ones.
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
                        _ToOneField(key: object.key, entity: Int32(object.layout.index), object: object),
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

    /// Restores a refreshed object's relationship changes: those of other objects, and its own if its row has
    /// the column and the object refers to itself.
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
                    _ToOneField(key: other.key, entity: Int32(other.layout.index), object: other), at: inverse
                )
                noteReference(of: object, inverse, to: other)
            }
        }
        for link in changes.links(of: object) {
            noteMembership(of: link)
        }
    }
}

extension ManagedObject {
    /// Makes the other sides of one-to-ones load again: they have no column and no original to restore.
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
