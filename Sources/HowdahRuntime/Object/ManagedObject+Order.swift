extension ManagedObject {
    /// Records a change of a to-many as a change of this object's row.
    ///
    /// If the row is not loaded, it is read first: a version that was not read protects nothing.
    final func noteEdit(of state: _ToManyState) {
        _willRead()
        if _flags.contains(.watched) { owner?.noteListEdit(self, state) }
        state.isEdited = true
        _flags.insert(.listChanged)
        if _flags.isDisjoint(with: [.inserted, .updated]) { owner?.noteUpdate(self) }
    }

    /// Records the members of a transient to-many before its first change.
    final func keepOriginals(of state: _ToManyState) {
        if state.isTransient, _flags.contains(.watched) { owner?.noteListEdit(self, state) }
        state.keepOriginals()
    }

    /// The to-manys kept by this object's row that differ from those of the last save, with their storage.
    final var editedLists: [(slot: Int, state: _ToManyState)] {
        guard _flags.contains(.listChanged) else { return [] }
        return layout.relationshipSlots.compactMap { slot in
            _toManyState(at: slot).flatMap { state in
                state.isEdited && (_flags.contains(.inserted) || !state.isAsRead) ? (slot, state) : nil
            }
        }
    }

    /// Clears the changes of an object whose values and lists are all equal to those that were read.
    final func cleanIfUnchanged() {
        guard _flags.contains(.updated), _flags.isDisjoint(with: [.inserted, .deleted, .detached, .fault]),
            changedSlots.isEmpty, editedLists.isEmpty
        else { return }
        for slot in layout.relationshipSlots { _toManyState(at: slot)?.isEdited = false }
        let links = _flags.intersection(.linksChanged)
        clearChanges()
        _flags.formUnion(links)
    }

    /// Loads the members of an ordered collection if nothing else determines whether an object is a member.
    ///
    /// A new member goes to the end, and a present member keeps its position.
    final func loadMembers(_ slot: Int, ifItMayHave member: ManagedObject) {
        guard !_flags.contains(.inserted), !member._flags.contains(.inserted),
            toManyState(slot).contains(member) != true
        else { return }
        _ = membersOf(slot)
    }

    /// Returns the storage of an ordered to-many with its members loaded. If loading fails, the result is nil
    /// and the context reports the error.
    final func loadedList(_ slot: Int) -> _ToManyState? {
        guard slot != Self.noSlot else { return nil }
        _ = membersOf(slot)
        let state = toManyState(slot)
        return state.isLoaded ? state : nil
    }

    /// Returns a placeholder for a member of a list that could not be loaded; nil if the list is loaded or
    /// the context ended.
    final func missingMember(_ slot: Int) -> ManagedObject? {
        if owner != nil, slot != Self.noSlot, toManyState(slot).isLoaded { return nil }
        guard let source = owner ?? changes?.formerOwner else { return nil }
        if owner == nil { source.fail(detachedError("read")) }
        return source.placeholder(
            entity: slot == Self.noSlot ? layout.index : layout.relationship(slot).destination)
    }

    /// Inserts a member into an ordered to-many at a position. If it is already a member, nothing changes.
    final func insertMember(_ member: ManagedObject, _ slot: Int, at position: Int) {
        let member = member.resolved
        guard ownerToChange() != nil, let state = loadedList(slot) else { return }
        precondition(
            (0...state.members.count).contains(position),
            "The position \(position) is out of range: \(layout.name).\(layout.slots[slot].name) has "
                + "\(state.members.count) members. Insert at a position from 0 to \(state.members.count).")
        if state.contains(member) == true { return }
        insertMember(member, slot)
        guard state.contains(member) == true else { return }
        state.move(member, to: position)
        if state.numbers[member.key] != nil { cleanIfUnchanged() }
    }

    /// Moves a member of an ordered to-many to its new position. If it is not a member, nothing changes.
    final func moveMember(_ member: ManagedObject, _ slot: Int, to position: Int) {
        let member = member.resolved
        guard ownerToChange() != nil else { return }
        guard let state = loadedList(slot), let present = state.position(of: member) else { return }
        precondition(
            state.members.indices.contains(position),
            "The position \(position) is out of range: \(layout.name).\(layout.slots[slot].name) has "
                + "\(state.members.count) members. Move to a position from 0 to \(state.members.count - 1).")
        if present == position { return }
        if state.isKeptByOwner { noteEdit(of: state) } else { keepOriginals(of: state) }
        owner?.noteTouched(state)
        state.move(member, to: position)
    }

    /// Replaces the members of an ordered to-many with these objects, in this order.
    package final func replaceMembers(_ slot: Int, with objects: [ManagedObject]) {
        guard ownerToChange() != nil else { return }
        guard let state = loadedList(slot) else { return }
        var wanted: [ManagedObject] = []
        var seen: Set<ObjectIdentifier> = []
        for object in objects.lazy.map(\.resolved) where seen.insert(ObjectIdentifier(object)).inserted {
            wanted.append(object)
        }
        for member in state.members where !seen.contains(ObjectIdentifier(member)) {
            removeMember(member, slot)
        }
        for object in wanted where state.contains(object) != true { insertMember(object, slot) }
        guard !state.members.elementsEqual(wanted, by: ===) else { return }
        if state.isKeptByOwner { noteEdit(of: state) } else { keepOriginals(of: state) }
        owner?.noteTouched(state)
        state.reorder(wanted)
        cleanIfUnchanged()
    }
}
