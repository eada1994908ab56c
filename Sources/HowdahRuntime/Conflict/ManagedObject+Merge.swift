import HowdahModel

extension ManagedObject {
    /// The value that a slot had when the row was read, before any change here.
    final func read(_ slot: Int) -> ChangeRecord.Original {
        changes?.originals.first { $0.slot == slot }?.original ?? original(at: slot)
    }

    /// Makes what the store holds the base of this object, and leaves those changes on top that the policy keeps.
    final func merge(_ stored: StoredRow, by type: MergePolicy.MergeType) {
        var kept: [Int] = []
        for slot in layout.slots.indices {
            guard let theirs = stored.values[slot] else { continue }
            let (base, ours) = (read(slot), original(at: slot))
            let isDerived = layout.attribute(slot)?.isDerived == true
            let isKept =
                switch type {
                case .overwrite: true
                case .mergeByPropertyObjectTrump: !ours.isSame(as: base)
                case .mergeByPropertyStoreTrump: !ours.isSame(as: base) && theirs.isSame(as: base)
                case .rollback, .error: false
                }
            if isKept, !isDerived {
                if !ours.isSame(as: theirs) { kept.append(slot) }
            } else if !ours.isSame(as: theirs) {
                take(theirs, at: slot)
            }
        }
        let lists = editedLists.compactMap { slot, state in state.isLoaded ? (slot, state.members) : nil }
        rebase(stored, keeping: kept)
        guard !lists.isEmpty || _flags.contains(.listChanged) else { return }
        let isOurs = type == .mergeByPropertyObjectTrump || type == .overwrite
        managedObjectContext?.mergeLists(of: self, keeping: isOurs ? lists : [])
    }

    /// Makes a stored row the base of a new object, with these slots kept as they are.
    final func take(_ row: StoredRow, keeping kept: [Int]) {
        for slot in layout.slots.indices where !kept.contains(slot) {
            if let theirs = row.values[slot], !original(at: slot).isSame(as: theirs) {
                take(theirs, at: slot)
            }
        }
        rebase(
            row,
            keeping: kept.filter { slot in
                row.values[slot].map { !original(at: slot).isSame(as: $0) } ?? false
            })
    }

    /// Takes a stored value in place of the present one.
    final func takeStored(_ slot: Int, of row: StoredRow?) {
        if let value = row?.values[slot] { take(value, at: slot) }
    }

    /// Takes a stored value in place of the present one, with the other side of a relationship kept right.
    private func take(_ value: ChangeRecord.Original, at slot: Int) {
        switch value {
        case .value(let value): _ = _assign(value, at: slot)
        case .toOne(let field):
            let destination =
                field.entity < 0 ? nil : owner?.object(entity: Int(field.entity), key: field.key)
            _setDestination(destination, slot)
        }
    }

    /// Declares the stored values known, of an object that is deleted whatever they are.
    final func acceptBeforeDeletion(_ stored: StoredRow) {
        // A parent's values are compared again, a row's version is enough.
        if managedObjectContext?.parent != nil {
            rebase(stored, keeping: layout.slots.indices.filter { stored.values[$0] != nil })
        }
        version = stored.version
    }

    /// Declares the stored values the ones that were read.
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
    }
}
