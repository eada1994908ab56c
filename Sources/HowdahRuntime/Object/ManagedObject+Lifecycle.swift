extension ManagedObjectIdentity {
    /// Whether the object's values are not loaded yet, or only some of them; reading one that is not loads all.
    @_disfavoredOverload public var isFault: Bool { resolved._flags.contains(.fault) }

    /// Indicates whether the next save inserts the object; false once its context ended or let it go, and for a new object that was
    /// deleted.
    @_disfavoredOverload public var isInserted: Bool { resolved.isPending(.inserted) }

    /// Indicates whether a property was set since the object was fetched or saved; false once its context ended or let it go.
    ///
    /// ``hasPersistentChangedValues`` says whether the next save writes anything of it.
    @_disfavoredOverload public var isUpdated: Bool { resolved.isPending(.updated) }

    /// Whether the next save deletes the object, or a save did.
    @_disfavoredOverload public var isDeleted: Bool { resolved._flags.contains(.deleted) }

    /// Indicates whether the next save inserts, updates or deletes the object; false once its context ended or let it go, and for a new
    /// object that was deleted.
    @_disfavoredOverload public var hasChanges: Bool { resolved.isPending([.inserted, .updated, .deleted]) }

    /// The names of the properties that changed since the object was fetched or saved, in the model's order.
    @_disfavoredOverload public var changedPropertyNames: [String] {
        if _flags.contains(.forwarding) { return resolved.changedPropertyNames }
        let slots =
            _flags.contains(.inserted)
            ? layout.slots.indices.filter { isWritten($0) || hasNewMembers($0) } : changedSlots
        return Set(slots + editedLists.map(\.slot)).sorted().map { layout.slots[$0].name }
    }
}

extension ManagedObject {
    /// Whether the object's context ended, or the object was deleted by a save: plain values are readable.
    final var isDetached: Bool { resolved._flags.contains(.detached) }

    /// Indicates whether the object is in its context with one of these changes.
    fileprivate final func isPending(_ changes: ObjectFlags) -> Bool {
        !_flags.contains(.detached) && !isForgotten && !_flags.isDisjoint(with: changes)
    }

    /// Indicates whether the object is new and was deleted, so that no save will ever write it.
    final var isForgotten: Bool { _flags.isSuperset(of: [.inserted, .deleted]) }

    /// Indicates whether a to-many relationship of a new object has members.
    fileprivate final func hasNewMembers(_ slot: Int) -> Bool {
        guard case .toMany = layout.slots[slot].kind else { return false }
        return _toManyState(at: slot)?.members.isEmpty == false
    }

    /// Cuts the object off its context: it stays readable, and is no longer part of the graph.
    ///
    /// - Parameter owner: the context, if it goes on: it fails if a program then changes the object. What a save, a
    ///   merge or another user took away cannot be seen at the line that changes it, so that must not be a trap.
    final func detach(from owner: (any ObjectOwner)? = nil) {
        if _flags.contains(.forwarding) { return }
        releaseRelationships()
        _flags.remove(.registered)
        _flags.insert(.detached)
        changes = owner?.detachment
        self.owner = nil
        cohort = nil
    }

    /// Lets go of other objects, which is what breaks the cycles of inverses.
    final func releaseRelationships() {
        for slot in layout.relationshipSlots {
            switch layout.slots[slot].kind {
            case .toOne:
                var field = _toOneField(at: slot)
                guard field.object != nil else { continue }
                field.object = nil
                _assignToOne(field, at: slot)
            case .toMany: _assignToMany(nil, at: slot)
            case .attribute: break
            }
        }
    }

    /// Lets go of to-many storage: members are read again, changes forgotten.
    final func releaseMembers() {
        for slot in layout.relationshipSlots {
            if case .toMany(let relationship) = layout.slots[slot].kind, !relationship.isTransient {
                _assignToMany(nil, at: slot)
            }
        }
    }

    /// Makes the object a fault again: changes are dropped and the next access reads the row.
    final func turnIntoFault() {
        if !layout.fetchedProperties.isEmpty { owner?.forgetFetchedObjects(of: self) }
        for slot in layout.transientSlots { leave(layout.relationship(slot)) }
        releaseRelationships()
        changes = nil
        _written = 0
        _flags.subtract([.updated, .linksChanged, .listChanged, .partial])
        _flags.insert(.fault)
    }

    /// Puts the values of before the changes back.
    final func revertChanges() {
        for (slot, original) in changes?.originals ?? [] {
            switch original {
            case .value(let value): _ = _assign(value, at: slot)
            case .toOne(let field): _assignToOne(field, at: slot)
            }
        }
        clearChanges()
        releaseMembers()
    }

    /// Takes the object out of the inverse of a transient relationship, which no row could bring back.
    fileprivate final func leave(_ relationship: RelationshipLayout) {
        guard let inverse = relationship.inverse else { return }
        let field = relationship.isToMany ? .none : _toOneField(at: relationship.slot)
        let members = relationship.isToMany ? _toManyState(at: relationship.slot)?.members ?? [] : []
        for other in members + [field.object].compactMap(\.self) where other !== self {
            if relationship.inverseIsToMany {
                other._toManyState(at: inverse)?.remove(self)
            } else if other._toOneField(at: inverse).object === self {
                other._assignToOne(.none, at: inverse)
            }
        }
    }

    /// Makes changes pending again that a save had taken, below those made since.
    final func takeBack(_ earlier: ChangeRecord?, _ written: UInt64) {
        _written |= written
        guard let earlier else { return }
        if let changes { changes.follow(earlier) } else { changes = earlier }
    }

    /// Declares the present values the stored ones.
    final func clearChanges() {
        changes = nil
        _written = 0
        _flags.subtract([.updated, .linksChanged, .listChanged])
    }
}
