extension EntityLayout {
    /// The to-ones in the entity's rows whose destinations have an inverse.
    var toOnesWithInverse: [Int] {
        relationshipSlots.filter { slot in
            guard case .foreignKey = relationship(slot).storage else { return false }
            return relationship(slot).inverse != nil
        }
    }

    /// Returns the slots that change if a batch request writes some of them.
    func changedSlots(_ slots: some Sequence<Int>) -> SlotSet {
        var changed = SlotSet(slots)
        guard let derived else { return changed }
        for slot in derived.generated(from: slots) + derived.moments { changed.insert(slot) }
        return changed
    }
}

extension DerivedGroup {
    /// The slots of the attributes.
    var slots: SlotSet { SlotSet(members.map(\.slot)) }
}
