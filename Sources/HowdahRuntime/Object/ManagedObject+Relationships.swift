import HowdahModel

extension ManagedObject {
    /// Returns the destination of a to-one relationship; the body of its getter.
    public final func _destination<Destination: ManagedObject>(
        _ field: _ToOneField, _ slot: Int, as type: Destination.Type = Destination.self
    ) -> Destination? {
        // A fault's fields hold no object, so this is never a stale one.
        if let object = field.object { return object as? Destination }
        return destination(slot) as? Destination
    }

    /// Sets the destination of a to-one relationship and updates the inverse; the body of its setter.
    public final func _setDestination(_ destination: ManagedObject?, _ slot: Int) {
        if _flags.contains(.forwarding) { return resolved._setDestination(destination, slot) }
        let destination = destination?.resolved
        guard ownerToChange() != nil else { return }
        let relationship = layout.relationship(slot)
        if let destination, !isMember(destination, of: relationship) { return }
        if _flags.contains(.scratch) {
            _willWrite(slot)
            _assignToOne(destination.map(_ToOneField.init) ?? .none, at: slot)
            return
        }
        let old = self.destination(slot)
        if old === destination { return }
        if _flags.contains(.watched), owner?.isUndoable == true, relationship.inverseIsOrdered,
            let inverse = relationship.inverse
        {
            // The place that is given up is only known as long as this is a member.
            _ = old?.loadedList(inverse)
        }
        if let inverse = relationship.inverse, !relationship.inverseIsToMany {
            // One-to-one: the new destination's present partner loses it.
            if let destination, let partner = destination.destination(inverse), partner !== self {
                partner.replaceToOne(slot, with: nil, from: destination)
            }
        }
        replaceToOne(slot, with: destination, from: old)
        if let inverse = relationship.inverse, !relationship.inverseIsToMany {
            // Where the relationship is its own inverse, the old destination may be the object itself.
            if let old, !relationship.isSelfInverse || old !== self {
                old.replaceToOne(inverse, with: nil, from: self)
            }
            destination?.replaceToOne(inverse, with: self, from: nil)
        }
    }

    /// Returns the object in a to-one slot. If it is not registered yet, this creates it as a fault.
    package final func destination(_ slot: Int) -> ManagedObject? {
        if _flags.contains(.forwarding) { return resolved.destination(slot) }
        _willRead(slot)
        var field = _toOneField(at: slot)
        if let object = field.object { return object }
        if field.isNone { return nil }
        guard let owner, !_flags.contains(.detached) else { return nil }
        if field.isUnknown {
            if _flags.contains(.inserted) { return nil }
            field = owner.lookUpDestination(of: self, slot: slot)
            _assignToOne(field, at: slot)
            if let object = field.object { owner.noteReference(of: self, slot, to: object) }
            if field.object != nil || field.isNone || field.isUnknown { return field.object }
        }
        let object = owner.destination(of: self, slot: slot, field: field)
        if let object {
            field.object = object
            _assignToOne(field, at: slot)
            owner.noteReference(of: self, slot, to: object)
        }
        return object
    }

    /// Writes one side of a to-one and the to-many on its other side, and tracks both.
    private func replaceToOne(_ slot: Int, with destination: ManagedObject?, from old: ManagedObject?) {
        let relationship = layout.relationship(slot)
        // A fault must be filled before its field is set, or filling it later would undo that.
        switch relationship.storage {
        case .foreignKey, .memory: _willWrite(slot)
        case .inverse, .join: _willRead()
        }
        if let destination {
            _assignToOne(_ToOneField(destination), at: slot)
            owner?.noteReference(of: self, slot, to: destination)
        } else {
            _assignToOne(.none, at: slot)
        }
        guard let inverse = relationship.inverse, relationship.inverseIsToMany else { return }
        if let old {
            // Where it was not before either, nothing is left to be said of it there.
            let wasElsewhere = old.wasMember(self, old.layout.relationship(inverse)) == false
            old.noteMember(self, inverse, isInsertion: false, takesBack: wasElsewhere)
        }
        destination?.noteMember(self, inverse, isInsertion: true)
    }

    /// Updates the in-memory side of a to-many, without loading it.
    ///
    /// - Parameter takesBack: Indicates whether the pair is now as it is stored.
    final func noteMember(
        _ member: ManagedObject, _ slot: Int, isInsertion: Bool, takesBack: Bool = false
    ) {
        let state = toManyState(slot)
        if state.isKeptByOwner { noteEdit(of: state) }
        keepOriginals(of: state)
        if isInsertion { state.add(member) } else { state.remove(member) }
        if takesBack { state.forgetPending(of: member) }
        _flags.insert(.linksChanged)
        owner?.noteTouched(state)
    }

    final func toManyState(_ slot: Int) -> _ToManyState {
        if let state = _toManyState(at: slot) { return state }
        let relationship = layout.relationship(slot)
        let state = _ToManyState(
            isOrdered: relationship.isOrdered, isKeptByOwner: relationship.isKeptByOwner,
            isTransient: relationship.isTransient,
            isLoaded: _flags.contains(.inserted) || relationship.isTransient)
        _assignToMany(state, at: slot)
        return state
    }

    package final func membersOf(_ slot: Int) -> [ManagedObject] {
        guard slot != Self.noSlot else { return [] }
        let state = toManyState(slot)
        if state.isLoaded { return state.members }
        if let owner, !_flags.contains(.detached) { owner.loadMembers(of: self, slot: slot, state: state) }
        // The hooks of the members may have given the object a new state.
        return toManyState(slot).members
    }

    final func members<Member: ManagedObject>(_ slot: Int) -> [Member] {
        let members = membersOf(slot)
        guard let owner, !members.isEmpty else { return members.compactMap { $0 as? Member } }
        return owner.typed(members, of: owner.layouts[layout.relationship(slot).destination])
    }

    final func countOfMembers(_ slot: Int) -> Int {
        guard slot != Self.noSlot else { return 0 }
        let state = toManyState(slot)
        if state.isLoaded { return state.members.count }
        guard let owner, !_flags.contains(.detached) else { return 0 }
        guard let pending = pendingCount(state, layout.relationship(slot)) else {
            // Whether a pending member is stored already is only known with the members at hand.
            return membersOf(slot).count
        }
        return (state.storedCount ?? owner.countMembers(of: self, slot: slot, state: state)) + pending
    }

    /// Returns the number by which pending members change the stored count; nil if that requires a query.
    private func pendingCount(_ state: _ToManyState, _ relationship: RelationshipLayout) -> Int? {
        guard state.hasPending else { return 0 }
        var difference = 0
        for member in state.gained {
            if member._flags.contains(.inserted) {
                // Its row may be there already.
                if owner?.isArriving(member) == true { return nil }
                difference += 1
            } else {
                guard let wasMember = wasMember(member, relationship) else { return nil }
                if !wasMember { difference += 1 }
            }
        }
        for member in state.removed.values {
            guard let wasMember = wasMember(member, relationship) else { return nil }
            if wasMember { difference -= 1 }
        }
        return difference
    }

    /// Returns a Boolean value that indicates whether an object was a member before its foreign key changed;
    /// nil if unknown.
    private func wasMember(_ member: ManagedObject, _ relationship: RelationshipLayout) -> Bool? {
        guard let inverse = relationship.inverse, !relationship.inverseIsToMany,
            case .toOne(let field)? = member.changes?.originals.first(where: { $0.slot == inverse })?.original
        else { return nil }
        return field.entity >= 0 && (field.object === self || field.key == key)
    }

    final func hasMember(_ member: ManagedObject, _ slot: Int) -> Bool {
        guard slot != Self.noSlot else { return false }
        let member = member.resolved
        if let known = toManyState(slot).contains(member) { return known }
        guard let owner, !_flags.contains(.detached) else { return false }
        let relationship = layout.relationship(slot)
        if let inverse = relationship.inverse, !relationship.inverseIsToMany {
            let field = member.holds(inverse) ? member._toOneField(at: inverse) : nil
            if let field { return field.object === self || field.key == key && !field.isNone }
        }
        if member._flags.contains(.inserted) { return false }
        return owner.holdsMember(member, of: self, slot: slot)
    }

    final func insertMember(_ member: ManagedObject, _ slot: Int) {
        let member = member.resolved
        guard let owner = ownerToChange(), slot != Self.noSlot else { return }
        let relationship = layout.relationship(slot)
        guard isMember(member, of: relationship) else { return }
        if let inverse = relationship.inverse, !relationship.inverseIsToMany {
            member._setDestination(self, inverse)
            return
        }
        if relationship.isOrdered { loadMembers(slot, ifItMayHave: member) }
        let membership = membership(of: member, relationship)
        if membership == true { return }
        if relationship.inverseIsOrdered, let inverse = relationship.inverse {
            member.loadMembers(inverse, ifItMayHave: self)
            if member.toManyState(inverse).contains(self) == true { return }
        }
        link(member, relationship, isInsertion: true, isCertain: membership == false, owner)
    }

    final func removeMember(_ member: ManagedObject, _ slot: Int) {
        let member = member.resolved
        guard let owner = ownerToChange(), slot != Self.noSlot else { return }
        let relationship = layout.relationship(slot)
        guard isMember(member, of: relationship) else { return }
        if let inverse = relationship.inverse, !relationship.inverseIsToMany {
            if member.destination(inverse) === self { member._setDestination(nil, inverse) }
            return
        }
        let membership = membership(of: member, relationship)
        if membership == false { return }
        link(member, relationship, isInsertion: false, isCertain: membership == true, owner)
    }

    /// Adds or removes a pair that has no column in either end's row, and records it at both ends.
    private func link(
        _ member: ManagedObject, _ relationship: RelationshipLayout, isInsertion: Bool, isCertain: Bool,
        _ owner: any ObjectOwner
    ) {
        let slot = relationship.slot
        let takesBack = owner.clarifyLink(self, member, slot: slot, isInsertion: isInsertion)
        noteMember(member, slot, isInsertion: isInsertion, takesBack: takesBack)
        if let inverse = relationship.inverse {
            member.noteMember(self, inverse, isInsertion: isInsertion, takesBack: takesBack)
        }
        owner.noteLink(
            self, member, slot: slot, isInsertion: isInsertion, isCertain: isCertain || owner.isReverting)
        guard takesBack else { return }
        cleanIfUnchanged()
        member.cleanIfUnchanged()
    }

    /// Returns a Boolean value that indicates whether `member` is one of the members; nil if neither end
    /// knows.
    ///
    /// If the coming change can be undone, this queries the store instead of returning nil.
    private func membership(of member: ManagedObject, _ relationship: RelationshipLayout) -> Bool? {
        let slot = relationship.slot
        if let known = toManyState(slot).contains(member) { return known }
        if let inverse = relationship.inverse, let known = member.toManyState(inverse).contains(self) {
            return known
        }
        guard _flags.contains(.watched), let owner, owner.isUndoable, !owner.isReverting else { return nil }
        return hasMember(member, slot)
    }

    /// Returns a Boolean value that indicates whether an object can become a member. If it cannot, the
    /// context fails.
    final func isMember(_ member: ManagedObject, of relationship: RelationshipLayout) -> Bool {
        do {
            try checkMember(member, of: relationship)
            return true
        } catch {
            owner?.fail(error)
            return false
        }
    }

    /// Checks that an object can become a member.
    ///
    /// - Throws: `FetchError` if it cannot.
    final func checkMember(_ member: ManagedObject, of relationship: RelationshipLayout) throws {
        let name = "\(layout.name).\(relationship.name)"
        let member = member.resolved
        if member._flags.contains(.detached) { throw member.detachedError("assigned to \(name)") }
        guard member.owner === owner else {
            throw FetchError(
                .invalidRequest,
                "An object of another context was assigned to \(name). Get that object from this context with "
                    + "object(with:) and its objectID.")
        }
        guard !member._flags.contains(.scratch) else {
            throw FetchError(
                .invalidRequest,
                "An object that a batch insertion generates was assigned to \(name), and other objects cannot refer "
                    + "to such an object. Set the to-one relationships of the generated object, or insert through "
                    + "the context."
            )
        }
        guard !_flags.contains(.scratch) || !relationship.isToMany else {
            throw FetchError(
                .invalidRequest,
                "The generator of a batch insertion changed the to-many relationship \(name). Set only to-one "
                    + "relationships in the generator, or insert through the context.")
        }
        guard owner?.layouts[relationship.destination].family.contains(member.layout.index) ?? false else {
            let destination = owner?.layouts[relationship.destination].name ?? "its destination"
            throw FetchError(
                .invalidRequest,
                "\(name) cannot hold \(member.layout.name.article) \(member.layout.name). Use an object of "
                    + "\(destination).")
        }
    }
}
