import HowdahModel

extension ManagedObjectContext {
    /// Marks an object for deletion by the next save. If it is deleted already, nothing happens.
    ///
    /// A new object is forgotten at once: it is neither registered nor one of the changes, and fetches do not
    /// return it. Its delete rules apply nevertheless.
    ///
    /// The save applies delete rules, in the database too, so the objects that they reach need not be loaded.
    /// To see the effect before, set ``propagatesDeletesAtEndOfEvent``.
    public func delete(_ object: ManagedObject) {
        let object = object.resolved
        if object._flags.isSuperset(of: [.detached, .deleted]) { return }
        do { try checkOwnership(of: object, "deleted") } catch { return fail(error) }
        guard !object._flags.contains(.deleted) else { return }
        if isUndoable { prepareToReturn([object]) }
        mark(object)
    }

    /// Marks objects of the context that are not deleted. The references to them are searched once for all.
    func delete(_ objects: [ManagedObject]) {
        if isUndoable { prepareToReturn(objects) }
        for object in objects where !object._flags.contains(.deleted) { mark(object) }
    }

    private func mark(_ object: ManagedObject) {
        object._flags.insert(.deleted)
        changes.delete(object)
        recorder.noteDeletion(object)
        object.announceDeletion()
    }

    /// Ends the present event and sends it to the listeners.
    ///
    /// Delete rules are applied in memory if ``propagatesDeletesAtEndOfEvent`` is true, if there is an
    /// ``undoManager``, or in a child context. This loads the objects that the rules reach, with one
    /// statement per relationship and level. Each save begins with this call.
    ///
    /// Source: Core Data's `processPendingChanges()`.
    public func processPendingChanges() {
        if propagatesDeletesAtEndOfEvent || isUndoable || backing.propagatesDeletionsAtOnce {
            propagateDeletions()
        }
        let event = takeEvent()
        recorder.undo?.close(event)
    }

    /// Applies to the objects in memory what the delete rules will do to rows: nullifies inverses and
    /// cascades deletions.
    ///
    /// Only the save checks deny rules.
    func propagateDeletions() {
        while let object = changes.nextToPropagate() {
            guard object._flags.contains(.deleted), object.owner === self else { continue }
            var effects = PropagatedDeletion()
            for slot in object.layout.relationshipSlots where isPropagating(object) {
                propagate(object, object.layout.relationship(slot), &effects)
            }
            if isPropagating(object) { changes.keep(effects, of: object) }
        }
    }

    /// Reverts the effects of an object's delete rules in memory, because a merge policy keeps the object.
    func takeBackPropagation(of object: ManagedObject) {
        var returned = [object]
        var taken: [(object: ManagedObject, effects: PropagatedDeletion)] = []
        // All are back before relationships lead to them.
        while let next = returned.popLast() {
            guard let effects = changes.takePropagation(of: next) else { continue }
            taken.append((next, effects))
            for member in effects.deleted where member._flags.contains(.deleted) && member.owner === self {
                member._flags.subtract([.deleted, .prepared])
                recorder.noteInsertion(member)
                returned.append(member)
            }
        }
        changes.removeDeleted { !$0._flags.contains(.deleted) }
        var lists: [(owner: ManagedObject, slot: Int)] = []
        for (object, effects) in taken {
            for cleared in effects.cleared {
                let (slot, destination) = (cleared.slot, cleared.destination)
                let relationship = object.layout.relationship(slot)
                guard !destination._flags.contains(.deleted), destination.owner === self,
                    PropagatedDeletion.returns(relationship, of: object, to: destination, cleared.base)
                else { continue }
                object._setDestination(destination, slot)
                if relationship.inverseIsOrdered, let inverse = relationship.inverse {
                    lists.append((destination, inverse))
                }
            }
            for (slot, members) in effects.unlinked {
                let relationship = object.layout.relationship(slot)
                let present = members.filter {
                    !$0.member._flags.contains(.deleted) && $0.member.owner === self
                        && PropagatedDeletion.returns(relationship, of: object, to: $0.member, $0.base)
                }.map(\.member)
                for member in present where !object.hasMember(member, slot) {
                    object.insertMember(member, slot)
                }
                for member in present { member.cleanIfUnchanged() }
                if relationship.isOrdered { lists.append((object, slot)) }
            }
        }
        for (object, _) in taken { object.cleanIfUnchanged() }
        putBackPlaces(in: lists)
    }

    /// Restores the stored places of members that returned to lists.
    private func putBackPlaces(in lists: [(owner: ManagedObject, slot: Int)]) {
        var known: [ObjectIdentifier: Set<Int>] = [:]
        for (owner, slot) in lists where known[ObjectIdentifier(owner), default: []].insert(slot).inserted {
            guard let state = owner.loadedList(slot) else { continue }
            let numbers = state.numbers
            let stored = state.members.filter { numbers[$0.key] != nil }
                .sorted { numbers[$0.key] ?? 0 < numbers[$1.key] ?? 0 }
            reorder(owner, slot, as: stored)
            owner.cleanIfUnchanged()
        }
    }

    private func isPropagating(_ object: ManagedObject) -> Bool {
        object._flags.contains(.deleted) && object.owner === self
    }

    private func propagate(
        _ object: ManagedObject, _ relationship: RelationshipLayout, _ effects: inout PropagatedDeletion
    ) {
        let slot = relationship.slot
        switch relationship.deleteRule {
        case .cascade:
            let members = object.related(slot).filter { !$0._flags.contains(.deleted) }
            if isUndoable { prepareToReturn(members) }
            for member in members where !member._flags.contains(.deleted) {
                // Hooks of the members may have taken the deletion back, or let go of everything.
                guard isPropagating(object), member.owner === self else { return }
                mark(member)
                effects.deleted.append(member)
            }
        case .nullify:
            if case .toMany = object.layout.slots[slot].kind {
                let members = object.membersOf(slot).filter { !$0._flags.contains(.deleted) }
                if members.isEmpty || !isPropagating(object) { return }
                let unlinked = members.map { member in
                    PropagatedDeletion.Unlinked(
                        member: member, base: object.baseOfLink(relationship, with: member))
                }
                for member in members { object.removeMember(member, slot) }
                effects.unlinked.append((slot, unlinked))
            } else if relationship.inverse != nil, let destination = object.destination(slot),
                isPropagating(object)
            {
                let base = object.baseOfLink(relationship, with: destination)
                object._setDestination(nil, slot)
                effects.cleared.append(.init(slot: slot, destination: destination, base: base))
            }
        default: break
        }
    }

    /// Loads the values that an undo of these deletions will need, while the objects are still members of
    /// their collections.
    func prepareToReturn(_ objects: [ManagedObject]) {
        for object in objects {
            object._willRead()
            for slot in object.layout.relationshipSlots {
                let relationship = object.layout.relationship(slot)
                let others = object.related(slot)
                guard relationship.inverseIsOrdered, let inverse = relationship.inverse else { continue }
                for other in others where !other._flags.contains(.detached) { _ = other.loadedList(inverse) }
            }
        }
        forgetOneWay(objects)
    }

    /// Removes objects that are being deleted from relationships without an inverse, with one statement for
    /// each of these.
    ///
    /// The save does this in the database in any case; here it makes the change known in memory.
    private func forgetOneWay(_ objects: [ManagedObject]) {
        guard !objects.isEmpty else { return }
        for (entity, slot) in store.layouts.oneWaySlots {
            let relationship = layouts[entity].relationship(slot)
            let family = layouts[relationship.destination].family
            let gone = objects.filter { family.contains($0.layout.index) }
            if !gone.isEmpty { forget(gone, in: layouts[entity], relationship) }
        }
    }

    private func forget(
        _ gone: [ManagedObject], in layout: EntityLayout, _ relationship: RelationshipLayout
    ) {
        let slot = relationship.slot
        var owners = (insertedObjects + updatedObjects).filter { layout.family.contains($0.layout.index) }
        owners += links.all.compactMap { link in
            link.slot == slot && layout.family.contains(link.owner.layout.index) ? link.owner : nil
        }
        let stored = gone.filter { !$0._flags.contains(.inserted) }.map {
            $0.objectID as ObjectID<ManagedObject>
        }
        if !stored.isEmpty {
            do {
                let format = relationship.isToMany ? "ANY %K IN %@" : "%K IN %@"
                var request = FetchRequest<ManagedObject>(entityName: layout.name)
                request.predicate = try PredicateTree(
                    format: format, arguments: [relationship.name, stored])
                // In memory nothing leads to what is deleted any more.
                request.includesPendingChanges = false
                owners += try fetch(request)
            } catch {
                noteFailure(error)
                return
            }
        }
        let leaving = Set(gone.map(ObjectIdentifier.init))
        for owner in owners where !owner._flags.contains(.deleted) {
            if !relationship.isToMany {
                if let object = owner.destination(slot), leaving.contains(ObjectIdentifier(object)) {
                    owner._setDestination(nil, slot)
                }
                continue
            }
            let state = owner.toManyState(slot)
            let candidates =
                state.isLoaded ? state.members.filter { leaving.contains(ObjectIdentifier($0)) } : gone
            for object in candidates where owner.hasMember(object, slot) { owner.removeMember(object, slot) }
        }
    }

    /// Notifies loaded objects that the cascades of this save will reach, before it freezes the changes.
    func announceDeletions() {
        var wave = deleted.filter { $0._flags.contains(.deleted) && $0.owner === self }
        while let object = wave.popLast() {
            for slot in object.layout.relationshipSlots
            where object.layout.relationship(slot).deleteRule == .cascade {
                for member in object.knownRelated(slot) where !member._flags.contains(.prepared) {
                    member.announceDeletion()
                    wave.append(member)
                }
            }
        }
    }
}

extension ManagedObject {
    /// Calls the hook once.
    fileprivate final func announceDeletion() {
        guard !_flags.contains(.prepared) else { return }
        _flags.insert(.prepared)
        prepareForDeletion()
    }

    /// Returns the objects that a relationship refers to, and loads them if necessary.
    final func related(_ slot: Int) -> [ManagedObject] {
        if case .toMany = layout.slots[slot].kind { return membersOf(slot) }
        return destination(slot).map { [$0] } ?? []
    }

    /// Returns the objects that a relationship refers to and that are in memory.
    fileprivate final func knownRelated(_ slot: Int) -> [ManagedObject] {
        if case .toMany = layout.slots[slot].kind {
            guard let state = _toManyState(at: slot) else { return [] }
            return state.isLoaded ? state.members : state.gained
        }
        return _toOneField(at: slot).object.map { [$0] } ?? []
    }
}
