import PQClient

/// The history of a transaction of several saves and batches, which is written with its COMMIT as that of one.
///
/// A savepoint adds its changes once it is released.
final class UnitHistory: CommitPart {
    private let store: Store
    private let history: StoreHistory
    private var stored = StoredChanges()
    private var signature: HistoryRows.Signature?

    init(_ store: Store, _ history: StoreHistory) {
        self.store = store
        self.history = history
    }

    /// Adds the changes of a savepoint. The author of the last one is that of the transaction.
    func note(_ changes: StoredChanges, _ signature: HistoryRows.Signature) {
        stored.follow(with: changes, store.layouts.entities)
        self.signature = signature
    }

    /// Asks the server for the changed derived rows, before a batch request changes the rows they derive from.
    func find(by transaction: SaveTransaction) throws {
        let found = stored.found
        if found.isEmpty { return }
        let results = try transaction.run(
            found.map { rows in
                var parameters = Parameters()
                let sql = DerivedStatements.rows(rows.group, rows.keys, &parameters)
                return SaveStatement(sql, parameters, about: .init(.select, rows.group.layout.table.subject))
            })
        for (rows, result) in zip(found, results) {
            let layout = rows.group.layout
            result.forEachRow { row in
                let entity = layout.directory.index(ofStoredName: row[0].string()) ?? layout.index
                stored.add(
                    .init(kind: .update, entity: entity, isExact: true, slots: rows.group.slots),
                    of: .init(root: layout.root, key: row[1].int64))
            }
        }
        stored.forgetFound()
    }

    func closingStatements() throws -> [(sql: String, parameters: Parameters)] {
        guard let signature else { return [] }
        let rows = HistoryRows(stored, signature, in: history, store.layouts.entities)
        return try rows.statements().map { ($0.sql, $0.parameters) }
    }
}
