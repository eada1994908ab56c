extension ManagedObjectIdentity {
    /// A Boolean value that indicates whether some or all of the object's values are not loaded. If you read
    /// one of these, all load.
    @_disfavoredOverload public var isFault: Bool { resolved._flags.contains(.fault) }

    /// A Boolean value that indicates whether the next save inserts the object.
    ///
    /// It is false after the context ended or released the object, and for a new object that was deleted.
    @_disfavoredOverload public var isInserted: Bool { resolved.isPending(.inserted) }

    /// A Boolean value that indicates whether a property was set since the object was fetched or saved.
    ///
    /// It is false after the context ended or released the object. ``hasPersistentChangedValues`` indicates
    /// whether the next save writes any of its values.
    @_disfavoredOverload public var isUpdated: Bool { resolved.isPending(.updated) }

    /// A Boolean value that indicates whether the next save deletes the object, or a save has deleted it.
    @_disfavoredOverload public var isDeleted: Bool { resolved._flags.contains(.deleted) }

    /// A Boolean value that indicates whether the next save inserts, updates or deletes the object.
    ///
    /// It is false after the context ended or released the object, and for a new object that was deleted.
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
    /// A Boolean value that indicates whether the context ended or a save deleted the object. Plain values
    /// stay readable.
    final var isDetached: Bool { resolved._flags.contains(.detached) }

    /// Returns a Boolean value that indicates whether the object is in its context with one of these changes.
    fileprivate final func isPending(_ changes: _ObjectFlags) -> Bool {
        !_flags.contains(.detached) && !isForgotten && !_flags.isDisjoint(with: changes)
    }

    /// A Boolean value that indicates whether the object is new and deleted, so that no save writes it.
    final var isForgotten: Bool { _flags.isSuperset(of: [.inserted, .deleted]) }

    /// Returns a Boolean value that indicates whether a to-many relationship of a new object has members.
    fileprivate final func hasNewMembers(_ slot: Int) -> Bool {
        guard case .toMany = layout.slots[slot].kind else { return false }
        return _toManyState(at: slot)?.members.isEmpty == false
    }

    /// Detaches the object from its context: it stays readable but leaves the graph.
    ///
    /// - Parameter owner: The context, if it continues. It fails if the program changes the object later. The
    ///   program cannot know that a save, a merge or another session removed the object, so the change must
    ///   not trap.
    final func detach(from owner: (any ObjectOwner)? = nil) {
        if _flags.contains(.forwarding) { return }
        releaseRelationships()
        _flags.remove(.registered)
        _flags.insert(.detached)
        changes = owner?.detachment
        self.owner = nil
        cohort = nil
    }

    /// Releases the related objects, which breaks the reference cycles of inverses.
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

    /// Releases to-many storage. Members are read again and changes are dropped.
    final func releaseMembers() {
        for slot in layout.relationshipSlots {
            if case .toMany(let relationship) = layout.slots[slot].kind, !relationship.isTransient {
                _assignToMany(nil, at: slot)
            }
        }
    }

    /// Turns the object into a fault again. Changes are dropped, and the next access reads the row.
    final func turnIntoFault() {
        if !layout.fetchedProperties.isEmpty { owner?.forgetFetchedObjects(of: self) }
        for slot in layout.transientSlots { leave(layout.relationship(slot)) }
        releaseRelationships()
        changes = nil
        _written = 0
        _flags.subtract([.updated, .linksChanged, .listChanged, .partial])
        _flags.insert(.fault)
    }

    /// Restores the values from before the changes.
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

    /// Removes the object from the inverse of a transient relationship, which no row could restore.
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

    /// Restores changes that a save had taken, below the changes made since.
    final func takeBack(_ earlier: ChangeRecord?, _ written: UInt64) {
        _written |= written
        guard let earlier else { return }
        if let changes { changes.follow(earlier) } else { changes = earlier }
    }

    /// Marks the present values as stored.
    final func clearChanges() {
        changes = nil
        _written = 0
        _flags.subtract([.updated, .linksChanged, .listChanged])
    }
}
