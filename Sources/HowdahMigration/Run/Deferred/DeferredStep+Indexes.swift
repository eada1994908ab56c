internal import HowdahSchema
internal import PQClient

extension DeferredStep {
    /// Makes the index unless it is there; what a failed build left is dropped first, since it may refuse rows.
    func build(_ name: String, _ statement: String) throws {
        // Waits for transactions of others are long, and nobody queues behind them.
        try connection.executeScript(
            "SET search_path = pg_catalog, pg_temp;\nSET lock_timeout = 0;\nSET statement_timeout = 0")
        defer {
            do {
                try connection.executeScript(
                    "RESET search_path;\nRESET lock_timeout;\nRESET statement_timeout")
            } catch {
                // A cancelled session refuses it. The pool then cleans it before its next lease.
                connection.mayBeChanged = true
            }
        }
        try retry { patience in
            try awaitTable(patience)
            switch try isValid(name) {
            case true?: return try checkDefinition(patience)
            case false?: try drop(name)
            case nil: break
            }
            do {
                try execute(statement)
            } catch {
                try? dropRemains(of: name, isCancelled: (error as? PostgresError)?.code == .cancelled)
                throw error
            }
        }
    }

    /// Takes the build's lock on the table, and releases it.
    ///
    /// The build itself would wait for the lock without a limit. Readers and writers do not queue behind this lock.
    private func awaitTable(_ patience: Duration) throws {
        guard let table = step.tables.first else { return }
        try connection.begin()
        do {
            try connection.executeScript(StageTransaction.waiting(patience))
            try execute(
                "LOCK TABLE \(SQLIdentifier.quoted(schemaName, table)) IN "
                    + "\(LockLevel.shareUpdateExclusive.rawValue) MODE")
            try connection.commit()
        } catch {
            // The error that led here is the one to report.
            try? connection.rollback()
            throw error
        }
    }

    /// Drops the invalid index of a failed build, which every write would otherwise maintain.
    ///
    /// - Parameter isCancelled: Indicates whether the build was cancelled. The drop then waits at most a second.
    private func dropRemains(of index: String, isCancelled: Bool) throws {
        guard connection.isUsable else { return }
        if isCancelled {
            connection.resetCancellation()
            try connection.executeScript("SET lock_timeout = '1s'")
        }
        if try isValid(index) == false { try drop(index) }
    }

    private func drop(_ index: String) throws {
        try execute("DROP INDEX CONCURRENTLY \(SQLIdentifier.quoted(schemaName, index))")
    }

    /// Indicates whether an index is valid; nil if there is none of the name.
    private func isValid(_ index: String) throws -> Bool? {
        try IndexComparison.isValid(index, in: schemaName, on: connection)
    }

    /// An earlier run may have made the index, or another program one of the same name.
    ///
    /// - Throws: `MigrationError` with `unfinished` if the index is not the one that the step makes; `PostgresError`.
    private func checkDefinition(_ patience: Duration) throws {
        try connection.begin()
        defer { try? connection.rollback() }
        try connection.executeScript(StageTransaction.waiting(patience))
        let comparison = IndexComparison(connection: connection, schemaName: schemaName, step: step)
        guard try comparison.isForeign() else { return }
        let message = comparison.message + " Then run howdah migrate finish again."
        try connection.rollback()
        try work.fail(pending, message)
        throw MigrationError(.unfinished, message)
    }
}
