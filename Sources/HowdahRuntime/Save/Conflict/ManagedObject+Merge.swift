import HowdahModel

extension ManagedObject {
    /// Makes the stored values the base of this object, and keeps those changes on top that the policy keeps.
    ///
    /// - Parameter others: The to-manys kept by the row that have other members or another order in the
    ///   store.
    /// - Throws: `FetchError` if the class cannot read a stored value that is to be taken. Nothing is changed
    ///   then.
    final func merge(
        _ stored: StoredRow, by type: MergePolicy.MergeType, otherLists others: Set<Int> = []
    ) throws {
        var (kept, taken): ([Int], [Int]) = ([], [])
        for slot in layout.slots.indices {
            guard let theirs = stored.values[slot] else { continue }
            let (base, ours) = (read(slot), original(at: slot))
            let isDerived = layout.attribute(slot)?.isDerived == true
            let isKept =
                switch type {
                case .overwrite: true
                case .mergeByPropertyObjectTrump: !isAlike(ours, base, at: slot)
                case .mergeByPropertyStoreTrump:
                    !isAlike(ours, base, at: slot) && isAlike(theirs, base, at: slot)
                case .rollback, .error: false
                }
            if isKept, !isDerived {
                if !isAlike(ours, theirs, at: slot) { kept.append(slot) }
            } else if !isAlike(ours, theirs, at: slot) {
                taken.append(slot)
            }
        }
        try checkReadable(stored, taken)
        for slot in taken {
            // One that was taken before may have led to this one.
            if let theirs = stored.values[slot], !isAlike(original(at: slot), theirs, at: slot) {
                take(theirs, at: slot)
            }
        }
        let lists = editedLists.compactMap { slot, state in
            state.isLoaded ? (slot: slot, members: state.members) : nil
        }
        let keptLists: [(slot: Int, members: [ManagedObject])] =
            switch type {
            case .overwrite:
                lists
                    + others.subtracting(lists.map(\.slot)).sorted().compactMap { slot in
                        _toManyState(at: slot).flatMap {
                            $0.isLoaded ? (slot: slot, members: $0.members) : nil
                        }
                    }
            case .mergeByPropertyObjectTrump: lists
            case .mergeByPropertyStoreTrump: lists.filter { !others.contains($0.slot) }
            case .rollback, .error: []
            }
        rebase(stored, keeping: kept)
        for slot in kept { releasePartner(slot, in: stored) }
        guard !lists.isEmpty || !others.isEmpty || _flags.contains(.listChanged) else { return }
        managedObjectContext?.mergeLists(of: self, keeping: keptLists)
    }

    /// Clears the reference that the stored row's partner has to this object, if a relationship is its own
    /// inverse.
    ///
    /// Both rows have a column then, and the policy decides only about this one.
    private func releasePartner(_ slot: Int, in stored: StoredRow) {
        guard case .toOne(let relationship) = layout.slots[slot].kind, relationship.isSelfInverse,
            case .foreignKey = relationship.storage, let owner = managedObjectContext,
            case .toOne(let theirs)? = stored.values[slot], theirs.entity >= 0, theirs.key != key
        else { return }
        let partner = owner.object(entity: Int(theirs.entity), key: theirs.key)
        guard _toOneField(at: slot).key != partner.key, !partner._flags.contains(.deleted) else { return }
        // What was read of it is older than the row here.
        if !partner._flags.contains(.updated) { owner.refresh(partner) }
        partner._willRead()
        guard partner._toOneField(at: slot).key == key else { return }
        partner._willWrite(slot)
        partner._assignToOne(.none, at: slot)
    }

    /// Checks that the class can read the stored values, as a fetch does.
    ///
    /// - Throws: `FetchError` with `unknownCase` or `invalidValue`.
    final func checkReadable(_ row: StoredRow, _ slots: [Int]) throws {
        guard let failure = row.failure else { return }
        for slot in slots where layout.attribute(slot) != nil {
            guard case .value(let value)? = row.values[slot] else { continue }
            let present = _value(at: slot)
            guard _assign(value, at: slot) else { throw FetchError.located(failure, at: self) }
            _ = _assign(present, at: slot)
        }
    }

    /// Makes a stored row the base of a new object, without changing these slots.
    final func take(_ row: StoredRow, keeping kept: [Int]) {
        for slot in layout.slots.indices where !kept.contains(slot) {
            if let theirs = row.values[slot], !isAlike(original(at: slot), theirs, at: slot) {
                take(theirs, at: slot)
            }
        }
        rebase(
            row,
            keeping: kept.filter { slot in
                row.values[slot].map { !isAlike(original(at: slot), $0, at: slot) } ?? false
            })
    }

    /// Replaces the present value with the stored one.
    final func takeStored(_ slot: Int, of row: StoredRow?) {
        if let value = row?.values[slot] { take(value, at: slot) }
    }

    /// Replaces the present value with a stored one and updates the other side of a relationship.
    private func take(_ value: ChangeRecord.Original, at slot: Int) {
        switch value {
        case .value(let value):
            if _assign(value, at: slot) { return }
            owner?.fail(untakenValue(at: slot))
        case .toOne(let field):
            let destination =
                field.entity < 0 ? nil : owner?.object(entity: Int(field.entity), key: field.key)
            take(destination, at: slot, layout.relationship(slot))
        }
    }

    /// Sets a relationship to the destination of the stored row.
    ///
    /// The lists of both destinations are as in the store, so this is not a change of theirs. The former
    /// destination may be deleted: if it is a fault, it is not read.
    private func take(_ destination: ManagedObject?, at slot: Int, _ relationship: RelationshipLayout) {
        let field = _toOneField(at: slot)
        let former =
            field.object
            ?? (field.entity >= 0
                ? owner?.registeredObject(root: owner?.layouts[Int(field.entity)].root ?? 0, key: field.key)
                : nil)
        guard let inverse = relationship.inverse, relationship.inverseIsToMany else {
            if !relationship.isSelfInverse, former !== destination, former?.isFault ?? (field.entity >= 0) {
                _willWrite(slot)
                _assignToOne(.none, at: slot)
            }
            return _setDestination(destination, slot)
        }
        if let former, former === destination { return }
        _assignToOne(destination.map(_ToOneField.init) ?? .none, at: slot)
        if let destination { owner?.noteReference(of: self, slot, to: destination) }
        former?.correctList(inverse, of: self, isMember: false)
        destination?.correctList(inverse, of: self, isMember: true)
    }

    /// Corrects a to-many about one member to match the store, without an edit. An ordered list without edits
    /// is read again.
    private func correctList(_ slot: Int, of member: ManagedObject, isMember: Bool) {
        guard let state = _toManyState(at: slot) else { return }
        if state.isLoaded, !state.isEdited, layout.relationship(slot).isOrdered {
            return _assignToMany(nil, at: slot)
        }
        state.restore(member, isStored: isMember)
        if !state.isLoaded { state.storedCount = nil }
    }

    /// Accepts the stored values as known, for an object that is deleted in any case.
    final func acceptBeforeDeletion(_ stored: StoredRow) {
        // What the row leads to now decides which owners lose it.
        if !isFault { rebase(stored, keeping: layout.slots.indices.filter { stored.values[$0] != nil }) }
        version = stored.version
    }

    /// Marks the stored values as the ones that were read.
    private func rebase(_ stored: StoredRow, keeping slots: [Int]) {
        let record = ChangeRecord()
        var mask: UInt64 = 0
        for slot in slots {
            if let theirs = stored.values[slot] { record.keep(theirs, of: slot) }
            if slot < 64 { mask |= 1 << UInt64(slot) } else { record.highSlots.insert(slot) }
        }
        changes = record
        _written = mask
        version = stored.version
        // An unchanged object that the policy keeps as it is, is to be stored like that.
        if !slots.isEmpty, _flags.isDisjoint(with: [.inserted, .updated, .deleted]) {
            owner?.noteUpdate(self)
        }
    }
}
