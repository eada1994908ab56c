extension ManagedObject {
    /// A Boolean value that indicates whether only some values of the row are loaded.
    final var isPartial: Bool { _flags.isSuperset(of: [.fault, .partial]) }

    /// The loaded part of the row; nil if all or none of it is loaded.
    final var part: PartialRow? { isPartial ? cohort?.part : nil }

    /// Returns a Boolean value that indicates whether the value of a slot is loaded.
    final func holds(_ slot: Int) -> Bool {
        guard _flags.contains(.fault) else { return true }
        guard let part else { return false }
        return part.holds(slot, of: layout.index)
    }

    /// The loaded values of a partial object.
    final var partialValues: [(slot: Int, value: ChangeRecord.Original)] {
        guard let part else { return [] }
        return part.slots(of: layout.index).compactMap { slot in
            layout.slots[slot].columns.isEmpty ? nil : (slot, original(at: slot))
        }
    }

    /// Turns a partial object into a fault without values.
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
