import HowdahModel

extension BatchInsertion {
    /// Adds the new and changed rows, and the rows that follow them, to the changes of the transaction.
    func noteHistory() {
        transaction.stored.add(.init(entity: layout.index, kind: .insertion, keys: insertedRuns))
        if !outcome.updatedKeys.isEmpty {
            var updated = KeyRuns()
            updated.append(contentsOf: outcome.updatedKeys.sorted())
            let slots = rows.columns.properties.map(\.slot)
            transaction.stored.add(
                .init(entity: layout.index, kind: .update, slots: layout.changedSlots(slots), keys: updated))
        }
        for slot in layout.toOnesWithInverse {
            let relationship = layout.relationship(slot)
            guard let inverse = relationship.inverse else { continue }
            transaction.stored.add(
                updated: (rows.destinations[slot] ?? []).sorted(),
                of: context.layouts[relationship.destination], SlotSet([inverse]), in: context)
        }
        transaction.stored.add(outcome.followers, in: context)
    }

    /// The keys of the new rows. With `ON CONFLICT`, these are known one by one.
    private var insertedRuns: KeyRuns {
        guard arbiter != nil else { return outcome.insertedRuns }
        var runs = KeyRuns()
        runs.append(contentsOf: outcome.insertedKeys)
        return runs
    }
}

extension StoredChanges {
    /// Adds rows that changed as effects of a batch request.
    mutating func add(_ followers: [BatchOutcome.Rows], in context: ManagedObjectContext) {
        for rows in followers { add(updated: rows.keys, of: rows.layout, rows.slots, in: context) }
    }
}

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
