import HowdahModel

extension ManagedObjectContext {
    /// Marks an object for deletion by the next save; a new object is simply forgotten.
    ///
    /// Delete rules are applied by the save, in the database too: what they reach need not be loaded. See
    /// ``propagatesDeletesAtEndOfEvent`` for seeing their effect before.
    public func delete(_ object: ManagedObject) {
        precondition(
            !object._flags.contains(.detached),
            "a \(object.layout.name) was deleted after \(object.whyDetached)")
        precondition(
            object.owner === self,
            "an object is deleted in its own context; pass its objectID and fetch it here")
        guard !object._flags.contains(.deleted) else { return }
        object._flags.insert(.deleted)
        deleted.append(object)
        event?.noteDeletion(object)
        object.announceDeletion()
    }

    /// Ends the present event: delete rules are applied in memory where ``propagatesDeletesAtEndOfEvent`` says so.
    ///
    /// Each save begins with it. Loads what the rules reach, a statement per relationship and level.
    ///
    /// Source: Core Data's `processPendingChanges()`.
    public func processPendingChanges() {
        if propagatesDeletesAtEndOfEvent { propagateDeletions() }
    }

    /// Does to the objects here what the delete rules will do to rows: nullifies inverses and deletes what a cascade
    /// reaches. What a rule denies is for the save to find.
    private func propagateDeletions() {
        while propagated < deleted.count {
            let object = deleted[propagated]
            propagated += 1
            guard object._flags.contains(.deleted), object.owner === self else { continue }
            for slot in object.layout.relationshipSlots {
                propagate(object, object.layout.relationship(slot))
            }
        }
    }

    private func propagate(_ object: ManagedObject, _ relationship: RelationshipLayout) {
        let slot = relationship.slot
        switch relationship.deleteRule {
        case .cascade:
            for member in object.related(slot) where !member._flags.contains(.deleted) { delete(member) }
        case .nullify:
            if case .toMany = object.layout.slots[slot].kind {
                for member in object.membersOf(slot) where !member._flags.contains(.deleted) {
                    object.removeMember(member, slot)
                }
            } else if relationship.inverse != nil, object.destination(slot) != nil {
                object._setDestination(nil, slot)
            }
        default: break
        }
    }

    /// Tells loaded objects that the cascades of this save will reach, before it freezes the changes.
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

    /// The objects that a relationship leads to, loaded where they were not.
    fileprivate final func related(_ slot: Int) -> [ManagedObject] {
        if case .toMany = layout.slots[slot].kind { return membersOf(slot) }
        return destination(slot).map { [$0] } ?? []
    }

    /// The objects that a relationship leads to as far as they are in memory.
    fileprivate final func knownRelated(_ slot: Int) -> [ManagedObject] {
        if case .toMany = layout.slots[slot].kind {
            guard let state = _toManyState(at: slot) else { return [] }
            return state.isLoaded ? state.members : state.gained
        }
        return _toOneField(at: slot).object.map { [$0] } ?? []
    }
}
