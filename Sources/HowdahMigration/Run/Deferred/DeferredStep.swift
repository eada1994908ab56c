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

    var step: MigrationStep { pending.step }

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

    func retry(_ body: (Duration) throws -> Void) throws {
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
        return LockFailure(databaseError: error, table: table, holders: holders ?? [])
    }

    func execute(_ sql: String) throws { _ = try connection.query(comment + sql, cached: false) }

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
            let isKnown = !error.mayHaveCommitted
            var cause = error
            // The next run finds out, and nothing is done twice.
            cause.mayHaveCommitted = false
            return MigrationError(
                .database,
                "The step '\(step.reason)' was interrupted and \(isKnown ? "is still" : "may still be") pending. "
                    + "Run howdah migrate finish to continue it.", databaseError: cause)
        }
        guard MigrationStep.refusalsOfRows.contains(state) else {
            let message = "\(step.reason): \(StepObstacle(error, command: "finish"))"
            try work.fail(pending, message)
            return MigrationError(.unfinished, message, databaseError: error)
        }
        let message = try step.refusal(error, on: connection)
        try work.fail(pending, message)
        return MigrationError(.unfitData, message, databaseError: error.withoutDetail)
    }
}
