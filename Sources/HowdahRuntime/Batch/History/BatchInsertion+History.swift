import HowdahModel

extension BatchInsertion {
    /// Adds the new and changed rows, and the rows that follow them, to the changes of the transaction.
    func noteHistory() {
        transaction.stored.add(.init(entity: layout.index, kind: .insertion, keys: insertedRuns))
        if !outcome.updatedKeys.isEmpty {
            // A later row of the request may meet a new one.
            let wasInserted = insertedRuns.membership()
            var updated = KeyRuns()
            updated.append(contentsOf: outcome.updatedKeys.filter { !wasInserted($0) }.sorted())
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
        transaction.stored.add(outcome.formerOwners)
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
