extension ManagedObjectContext {
    /// Returns the rows that a save changes; nil if neither listeners nor the history need them.
    ///
    /// - Parameter derived: The statements that compute derived attributes.
    func storedChanges(
        _ settled: SettledChanges, _ keys: NewKeys, _ derived: [SaveStatement]
    ) -> StoredChanges? {
        guard isHeard || store.history != nil else { return nil }
        var stored = StoredChanges(settled, keys, in: self)
        if store.history != nil { stored.add(derived, in: self) }
        return stored
    }

    /// Returns the rows of history for the changes of a transaction; nil if there are none.
    func historyRows(_ changes: StoredChanges?, _ origin: HistoryRows.Origin = .save) -> HistoryRows? {
        guard let history = store.history, let changes, !changes.isEmpty else { return nil }
        return HistoryRows(changes, signature(origin), in: history, layouts)
    }

    /// Adds changes to the history of the transaction around the unit of work.
    func noteHistory(_ changes: StoredChanges?, _ origin: HistoryRows.Origin = .save) {
        guard let history = store.history, let changes, !changes.isEmpty, let unit else { return }
        let known = unit.closing as? UnitHistory
        let all = known ?? UnitHistory(store, history)
        if known == nil { unit.closing = all }
        all.note(changes, signature(origin))
    }

    /// Returns the author and the context of a transaction.
    func signature(_ origin: HistoryRows.Origin) -> HistoryRows.Signature {
        HistoryRows.Signature(
            origin: origin, author: (transactionAuthor ?? store.transactionAuthor)?.storable,
            context: name?.storable)
    }
}

extension String {
    /// The text with a replacement character for each U+0000, which the server refuses. A name must not make a save
    /// fail.
    var storable: String {
        utf8.contains(0) ? replacing("\0", with: "\u{FFFD}") : self
    }
}
