extension ManagedObject {
    /// Whether some values are here of a row that was not read in full.
    final var isPartial: Bool { _flags.isSuperset(of: [.fault, .partial]) }

    /// What of the row is here, where it is not all or nothing.
    final var part: PartialRow? { isPartial ? cohort?.part : nil }

    /// Whether the value of a slot is here.
    final func holds(_ slot: Int) -> Bool {
        guard _flags.contains(.fault) else { return true }
        guard let part else { return false }
        return part.holds(slot, of: layout.index)
    }

    /// The values that are here of a partial object.
    final var partialValues: [(slot: Int, value: ChangeRecord.Original)] {
        guard let part else { return [] }
        return part.slots(of: layout.index).compactMap { slot in
            layout.slots[slot].columns.isEmpty ? nil : (slot, original(at: slot))
        }
    }

    /// Makes a partial object a fault like any other.
    final func forgetPart() {
        guard isPartial else { return }
        for slot in layout.relationshipSlots {
            var field = _toOneField(at: slot)
            guard field.object != nil, !layout.relationship(slot).isTransient else { continue }
            field.object = nil
            _assignToOne(field, at: slot)
        }
        _flags.remove(.partial)
    }
}
