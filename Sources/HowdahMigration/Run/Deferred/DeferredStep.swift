internal import Foundation
internal import HowdahSchema
internal import PQClient

/// One step of pending work, from wherever it was cut off.
struct DeferredStep {
    let connection: Connection
    let schemaName: String
    let options: MigrationOptions
    let work: PendingWork
    let pending: PendingMigrationStep
    /// What begins each statement, so that it is known in logs and in the server's list of sessions.
    let comment: String
    let observer: MigrationObserver?

    private static let firstBatch: Int64 = 1_000
    /// How long a batch is to take, and so how long it keeps others from its rows.
    private static let batchTime = Duration.milliseconds(50)

    private var step: MigrationStep { pending.step }

    /// - Throws: `MigrationError` with `unfitData` where the rows do not allow it, `unfinished` where something else has to
    ///   be done first, `lockTimeout`, `database`.
    func run() throws {
        do {
            switch step.work {
            case nil: try complete(step.statements)
            case .validation:
                let (first, rest) = (step.statements.prefix(1), step.statements.dropFirst())
                try transaction { try first.forEach(execute) }
                try complete(Array(rest))
            case .index(let name):
                try build(name, step.statements.first ?? "")
                try complete(Array(step.statements.dropFirst()))
            case .batches(let table, let key):
                try runBatches(SQLIdentifier.quoted(schemaName, table), SQLIdentifier.quoted(key))
                try complete([])
            }
        } catch let error as PostgresError {
            throw try explained(error)
        }
    }

    // MARK: - Transactions

    /// What ends the step: it is off the list, or as it was.
    private func complete(_ statements: [String]) throws {
        try transaction {
            try statements.forEach(execute)
            try work.complete(pending)
        }
    }

    private func transaction(_ body: () throws -> Void) throws {
        try retry { patience in
            try connection.begin()
            do {
                try connection.executeScript(
                    "\(MigrationPlan.stepSettings);\n"
                        + StageTransaction.waiting(patience)
                )
                try body()
                try connection.commit()
            } catch {
                // The error that led here is the one to report.
                try? connection.rollback()
                throw error
            }
        }
    }

    private func retry(_ body: (Duration) throws -> Void) throws {
        try LockRetry(
            budget: options.lockBudget, timeout: options.lockTimeout,
            aftermath: "The store has the new model, and the step '\(step.reason)' is still pending",
            canceller: connection.canceller, observer: observer
        ).run { patience in
            do {
                try body(patience)
            } catch let error as PostgresError where error.isOfLocks {
                throw failure(error)
            }
        }
    }

    private func failure(_ error: PostgresError) -> LockFailure {
        let table = step.tables.first
        let holders = table.flatMap {
            try? LockHolder.ofTable(
                $0, in: schemaName, against: step.lock, on: connection)
        }
        return LockFailure(underlying: error, table: table, holders: holders ?? [])
    }

    private func execute(_ sql: String) throws { _ = try connection.query(comment + sql, cached: false) }

    // MARK: - Indexes

    /// Makes the index unless it is there; what a failed build left is dropped first, since it may refuse rows.
    private func build(_ name: String, _ statement: String) throws {
        // Waits for transactions of others are long, and nobody queues behind them.
        try connection.executeScript(
            "SET search_path = pg_catalog, pg_temp;\nSET lock_timeout = 0;\nSET statement_timeout = 0")
        defer {
            if connection.isUsable {
                try? connection.executeScript(
                    "RESET search_path;\nRESET lock_timeout;\nRESET statement_timeout")
            }
        }
        try retry { patience in
            try awaitTable(patience)
            if let isValid = try isValid(name) {
                if isValid { return }
                try drop(name)
            }
            do {
                try execute(statement)
            } catch {
                try? dropRemains(of: name, isCancelled: (error as? PostgresError)?.code == .cancelled)
                throw error
            }
        }
    }

    /// Has the build's lock on the table for a moment: who has it is known then and not waited for without end, as old
    /// transactions are. Nobody who reads or writes queues behind it.
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

    /// What a build that failed left is kept up with every write until it is dropped; whoever cancels does not wait for that
    /// for long.
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

    /// Nil where there is no such index.
    private func isValid(_ index: String) throws -> Bool? {
        var parameters = Parameters()
        try parameters.append(schemaName)
        try parameters.append(index)
        return try connection.query(
            "SELECT i.indisvalid FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid "
                + "JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
                + "WHERE n.nspname = $1 AND c.relname = $2", parameters, cached: false
        ).map { $0[0].bool }.first
    }

    // MARK: - Batches

    /// Rows by their keys, so many at a time as keep others waiting for a moment only, with pauses between.
    private func runBatches(_ table: String, _ key: String) throws {
        var last = pending.lastKey ?? Int64.min
        var size = Self.firstBatch
        while let end = try lastKey(of: table, key, after: last, count: size) {
            try Task.checkCancellation()
            let start = ContinuousClock.now
            try transaction {
                var range = Parameters()
                range.append(last)
                range.append(end)
                for statement in step.statements {
                    _ = try connection.query(comment + statement, range, cached: false)
                }
                try work.advance(pending, to: end)
                try MigrationHistory.note(in: schemaName, on: connection)
            }
            last = end
            let time = ContinuousClock.now - start
            let factor = min(2, max(0.25, Self.batchTime / time))
            size = min(10_000, max(100, Int64(Double(size) * factor)))
            Thread.sleep(forTimeInterval: min(0.1, time / .seconds(4)))
        }
    }

    private func lastKey(of table: String, _ key: String, after last: Int64, count: Int64) throws -> Int64? {
        var parameters = Parameters()
        parameters.append(last)
        parameters.append(count)
        return try connection.query(
            "SELECT pg_catalog.max(r.k) FROM (SELECT \(key) AS k FROM \(table) WHERE \(key) > $1 "
                + "ORDER BY \(key) LIMIT $2) AS r", parameters, cached: false
        ).map { $0[0].isNull ? nil : $0[0].int64 }.first ?? nil
    }

    // MARK: - Failures

    private func explained(_ error: PostgresError) throws -> any Error {
        guard connection.isUsable, error.code == .server, let state = error.sqlState else {
            return MigrationError(
                .database,
                "The step '\(step.reason)' was interrupted and is still pending. Run howdah migrate finish to continue it.",
                underlying: error)
        }
        guard MigrationStep.refusalsOfRows.contains(state) else {
            let message = "\(step.reason): \(StepObstacle(error, command: "finish"))"
            try work.fail(pending, message)
            return MigrationError(.unfinished, message, underlying: error)
        }
        let message = try step.refusal(error, on: connection)
        try work.fail(pending, message)
        return MigrationError(.unfitData, message, underlying: error.withoutDetail)
    }
}
