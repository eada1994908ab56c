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

    func closingStatements() throws -> [(sql: String, parameters: Parameters)] {
        guard let signature else { return [] }
        let rows = HistoryRows(stored, signature, in: history, store.layouts.entities)
        return try rows.statements().map { ($0.sql, $0.parameters) }
    }
}
