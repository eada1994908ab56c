internal import HowdahModel
internal import PQClient

/// One migration from a model to another as one transaction: locks, handlers and steps, the record of the new model, a
/// row in the ledger.
struct StageTransaction {
    let connection: Connection
    let source: ManagedObjectModel
    let target: ManagedObjectModel
    let plan: MigrationPlan
    /// What the ledger calls it.
    let label: String
    let handlers: StageHandlers
    let lockTimeout: Duration
    /// What is with the store where nothing was done, as a sentence without its end.
    let aftermath: String
    /// Where among the stages of the run.
    var position = StagePosition()
    var observer: MigrationObserver?

    /// Does everything, or nothing.
    ///
    /// - Throws: `MigrationError` with `unfitData`, `handlerFailed`, `busy`, `database`; `PostgresError` where a lock was
    ///   not to be had, or the transaction's own statements failed.
    func run() throws {
        try connection.begin()
        do {
            observer?(.stageBegan(position, plan))
            try lock()
            try run(handlers.willMigrate, "willMigrate", with: source)
            let steps = Array(plan.steps.enumerated())
            let waits = handlers.didMigrate != nil
            for (place, step) in steps where !(waits && step.isRule) { try run(step, place + 1) }
            if waits {
                try run(handlers.didMigrate, "didMigrate", with: migratedModel())
                for (place, step) in steps where step.isRule { try run(step, place + 1) }
            }
            try record()
            try connection.commit()
            observer?(.stageEnded(position))
        } catch {
            // The error that led here is the one to report.
            try? connection.rollback()
            // What a handler prepared is for tables that are not, or not yet again.
            if connection.isUsable { try? execute("DEALLOCATE ALL") }
            throw error
        }
    }

    /// The new model, without the requirements that rows need not fulfil yet.
    func migratedModel() throws -> ManagedObjectModel {
        plan.steps.contains(where: \.isRule) ? try target.withoutRequirements() : target
    }

    /// Names mean the server's own, and triggers for delete rules leave everything to the steps.
    private static let stepSettings = """
        SET LOCAL search_path = pg_catalog, pg_temp;
        SET LOCAL howdah.save = 'on'
        """

    /// As any program has it.
    private static let handlerSettings = """
        SET LOCAL search_path TO DEFAULT;
        SET LOCAL howdah.save = 'off'
        """

    /// Nothing that a handler left may stand in the way of DDL: checks to be made, open cursors, what saves set for their
    /// own statements.
    private static let boundary = """
        SET CONSTRAINTS ALL IMMEDIATE;
        CLOSE ALL;
        SET LOCAL enable_hashjoin TO DEFAULT;
        SET LOCAL enable_mergejoin TO DEFAULT;
        SET LOCAL enable_seqscan TO DEFAULT
        """

    func lock() throws {
        let milliseconds = max(1, Int(lockTimeout / .milliseconds(1)))
        try connection.executeScript(
            "\(Self.stepSettings);\nSET LOCAL lock_timeout = \(SQLLiteral.integer(milliseconds))")
        for (table, mode) in try locks() {
            try execute(
                "LOCK TABLE \(SQLIdentifier.quoted(plan.schemaName, table)) IN \(mode.rawValue) MODE")
        }
        guard let record = try StoreRecord(in: plan.schemaName, on: connection, locking: true),
            record.checksum == plan.fromChecksum
        else {
            throw MigrationError(
                .busy,
                "The store in schema '\(plan.schemaName)' was migrated meanwhile; run the migration again.")
        }
    }

    private struct EndedTransaction: Error, CustomStringConvertible {
        let description = "it ended the stage's transaction; leave COMMIT and ROLLBACK to the migration"
    }

    /// Tables in the order of their names. What handlers read is not known, and must not change under them: rows that
    /// others write meanwhile would keep their old shape.
    private func locks() throws -> [(table: String, mode: LockLevel)] {
        var modes = Dictionary(
            uniqueKeysWithValues: plan.lockedTables.map { ($0, LockLevel.accessExclusive) })
        if handlers.willMigrate != nil || handlers.didMigrate != nil {
            for table in try StoreSchema(source, schemaName: plan.schemaName).tables {
                modes[table.name] = modes[table.name] ?? .shareRowExclusive
            }
        }
        return modes.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    func run(_ handler: StageHandlers.Handler?, _ name: String, with model: ManagedObjectModel) throws {
        guard let handler else { return }
        observer?(.handlerBegan(name))
        try connection.executeScript(Self.handlerSettings)
        do {
            try handler(connection, model)
            guard connection.transactionStatus != .idle else { throw EndedTransaction() }
            try connection.executeScript("\(Self.boundary);\n\(Self.stepSettings)")
            // Prepared for tables that are about to change, or have changed.
            try execute("DEALLOCATE ALL")
        } catch let error as PostgresError where error.isOfLocks {
            throw error
        } catch {
            throw MigrationError(
                .handlerFailed, "The \(name) handler failed: \(error). \(aftermath).", cause: error)
        }
    }

    private func run(_ step: MigrationStep, _ number: Int) throws {
        let comment = position.comment(step: number, of: plan.steps.count)
        observer?(.stepBegan(number: number, count: plan.steps.count, step))
        do {
            guard let check = step.check, let statement = step.statements.first else {
                for statement in step.statements { try execute(comment + statement) }
                return
            }
            let found = try connection.query(comment + statement, cached: false).map {
                ($0[0].int64, $0[1].int64)
            }
            guard let violation = check.violation(found) else { return }
            throw MigrationError(.unfitData, "\(violation). \(aftermath).")
        } catch let error as PostgresError where !error.isOfLocks {
            throw MigrationError(
                .database,
                "Step \(number) of \(plan.steps.count) (\(step.reason)) failed. \(aftermath)",
                underlying: error)
        }
    }

    func record() throws {
        let schema = try StoreSchema(target, schemaName: plan.schemaName)
        var model = Parameters()
        try model.append(target.canonicalJSON)
        try model.append(target.versionChecksum)
        _ = try connection.query(StoreMetadata.replacement(for: schema), model, cached: false)
        try MigrationLedger.add(
            from: plan.fromChecksum, to: plan.toChecksum, label: label, steps: plan.json,
            in: plan.schemaName, on: connection)
    }

    private func execute(_ sql: String) throws { _ = try connection.query(sql, cached: false) }
}
