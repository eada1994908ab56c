import HowdahModel
import HowdahSchema
import PQClient

extension StoreOpening {
    /// Returns the history that the program must write; nil if the store has none.
    ///
    /// - Throws: `StoreError.historyOfAnotherCluster` if the history cannot be continued in this database;
    ///   `StoreError.schemaMismatch` if the options ask for a history that the role may not create.
    func history(of schema: StoreSchema, _ rows: [String: Int], on connection: Connection) throws
        -> StoreHistory?
    {
        if options.existingTables { return nil }
        if rows[HistoryTables.tableNames[0]] == nil {
            guard options.history == .enabled, !options.isReadOnly else { return nil }
            try beginHistory(of: schema, on: connection)
        }
        // A program that only reads objects needs none of them.
        if options.isReadOnly, HistoryTables.tableNames.contains(where: { rows[$0] == nil }) { return nil }
        let name = schema.schemaName
        let record = HistoryRecord(try connection.query(HistoryRecord.selection(in: name), cached: false))
        if let refusal = record.refusal(in: name) { throw StoreError(.historyOfAnotherCluster, refusal) }
        return StoreHistory(HistoryTables(in: name), marksSaves: record.marksSaves)
    }

    /// Checks that a store has the tables of its history, if its record says that programs write one. Otherwise saves would
    /// write none, without an error.
    ///
    /// - Throws: `StoreError.historyOfAnotherCluster` with the missing tables.
    func checkHistory(_ record: StoreRecord, _ rows: [String: Int]) throws {
        guard record.format.requiresHistory, !options.isReadOnly else { return }
        let missing = HistoryTables.tableNames.filter { rows[$0] == nil }
        if missing.isEmpty { return }
        throw StoreError(
            .historyOfAnotherCluster, HistoryRecord.refusal(of: missing, in: options.schemaName))
    }

    /// Creates the tables of the history of a store that other programs may have open. It does not count before
    /// `howdah history start`.
    private func beginHistory(of schema: StoreSchema, on connection: Connection) throws {
        try connection.begin()
        do {
            try lock(connection)
            if try !HistoryRecord.exists(in: schema.schemaName, on: connection) {
                try HistoryInstallation(of: schema, on: connection).make(isStarted: false)
            }
            try connection.commit()
        } catch {
            // The error that led here is the one to report.
            try? connection.rollback()
            guard let error = error as? PostgresError, error.sqlState == SQLState.insufficientPrivilege else {
                throw error
            }
            throw StoreError(
                .schemaMismatch,
                "StoreOptions.history is .enabled, the store in schema '\(schema.schemaName)' has no history, and the role "
                    + "may not create it. Run howdah history enable as the owner of the store, or set "
                    + "StoreOptions.history to .asStored.", databaseError: error)
        }
    }
}
