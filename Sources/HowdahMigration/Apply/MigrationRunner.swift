internal import Foundation
package import HowdahModel
package import PQClient

/// Takes a store to a model, in one transaction: either everything is done and recorded, or the store is as it was.
package struct MigrationRunner {
    private let connection: Connection
    private let target: ManagedObjectModel
    private let schemaName: String
    private let options: MigrationOptions

    /// A runner on a session of its own, which nothing else uses meanwhile.
    package init(
        _ connection: Connection, to target: ManagedObjectModel, schemaName: String = "public",
        options: MigrationOptions = MigrationOptions()
    ) {
        self.connection = connection
        self.target = target
        self.schemaName = schemaName
        self.options = options
    }

    /// The steps that the store needs; nil where it has the model already. Reads only.
    ///
    /// - Throws: `MigrationError`.
    package func plan() throws -> MigrationPlan? {
        do {
            return try plan(for: record())
        } catch let error as PostgresError {
            throw MigrationError(.database, "The database refused", underlying: error)
        }
    }

    /// Takes the migration's lock, infers the steps from what the store says of itself by then, and does them.
    ///
    /// Blocks. The tables are locked first, in the order of their names; where that takes longer than
    /// ``MigrationOptions/lockTimeout``, all is undone and tried again until ``MigrationOptions/lockBudget`` is spent.
    ///
    /// - Throws: `MigrationError`; the store is then as it was.
    package func apply() throws -> MigrationOutcome {
        let lock = MigrationLock(connection: connection, schemaName: schemaName)
        do {
            try lock.take(within: options.lockBudget)
            defer { lock.release() }
            return try run()
        } catch let error as PostgresError {
            throw MigrationError(.database, "The database refused", underlying: error)
        }
    }

    private func run() throws -> MigrationOutcome {
        let end = ContinuousClock.now.advanced(by: options.lockBudget)
        var pause = 0.1
        while true {
            do {
                guard let plan = try plan(for: record()) else { return .upToDate }
                try inTransaction(plan)
                return .migrated(plan)
            } catch let error as PostgresError
                where error.sqlState == SQLState.lockNotAvailable
                || error.sqlState == SQLState.deadlockDetected
            {
                guard ContinuousClock.now < end else {
                    throw MigrationError(
                        .lockTimeout,
                        "The tables could not be locked within \(options.lockBudget): a transaction of another program "
                            + "holds one of them; end it, or try again with a longer budget. The store is as it was",
                        underlying: error)
                }
                // Not in step with others who wait likewise.
                Thread.sleep(forTimeInterval: pause * Double.random(in: 0.5...1))
                pause = min(10, pause * 2)
            }
        }
    }

    private func inTransaction(_ plan: MigrationPlan) throws {
        try connection.begin()
        do {
            try prepare(plan)
            for (number, step) in plan.steps.enumerated() { try run(step, number + 1, of: plan) }
            try record(plan)
            try connection.commit()
        } catch {
            // The error that led here is the one to report.
            try? connection.rollback()
            throw error
        }
    }

    /// Settings and locks.
    private func prepare(_ plan: MigrationPlan) throws {
        let milliseconds = max(1, Int(options.lockTimeout / .milliseconds(1)))
        try connection.executeScript(
            """
            SET LOCAL search_path = pg_catalog, pg_temp;
            SET LOCAL lock_timeout = \(SQLLiteral.integer(milliseconds));
            SET LOCAL howdah.save = 'on'
            """)
        for table in plan.lockedTables {
            try execute("LOCK TABLE \(SQLIdentifier.quoted(schemaName, table)) IN ACCESS EXCLUSIVE MODE")
        }
        guard let record = try StoreRecord(in: schemaName, on: connection, locking: true),
            record.checksum == plan.fromChecksum
        else {
            throw MigrationError(
                .busy, "The store in schema '\(schemaName)' was migrated meanwhile; run the command again.")
        }
    }

    private func run(_ step: MigrationStep, _ number: Int, of plan: MigrationPlan) throws {
        do {
            guard let check = step.check, let statement = step.statements.first else {
                for statement in step.statements { try execute(statement) }
                return
            }
            let found = try connection.query(statement, cached: false).map { ($0[0].int64, $0[1].int64) }
            guard let count = found.first?.1 else { return }
            let examples = found.map { "\(check.entity) \($0.0)" }.joined(separator: ", ")
            throw MigrationError(
                .unfitData,
                "\(check.fault): \(count) \(count == 1 ? "object" : "objects") (\(examples)"
                    + "\(count > found.count ? ", …" : "")); \(check.remedy). The store is as it was.")
        } catch let error as PostgresError
            where error.sqlState != SQLState.lockNotAvailable && error.sqlState != SQLState.deadlockDetected
        {
            throw MigrationError(
                .database,
                "Step \(number) of \(plan.steps.count) (\(step.reason)) failed, and the store is as it was",
                underlying: error)
        }
    }

    private func record(_ plan: MigrationPlan) throws {
        let schema = try StoreSchema(target, schemaName: schemaName)
        var model = Parameters()
        try model.append(target.canonicalJSON)
        try model.append(target.versionChecksum)
        _ = try connection.query(StoreMetadata.replacement(for: schema), model, cached: false)
        try execute(MigrationLedger.creation(in: schemaName))
        var row = Parameters()
        try row.append(plan.fromChecksum)
        try row.append(plan.toChecksum)
        try row.append(target.versionIdentifier ?? "")
        try row.append(plan.json)
        _ = try connection.query(MigrationLedger.insertion(in: schemaName), row, cached: false)
    }

    private func execute(_ sql: String) throws { _ = try connection.query(sql, cached: false) }

    // MARK: - What the store says of itself

    private func record() throws -> StoreRecord {
        guard let record = try StoreRecord(in: schemaName, on: connection) else {
            throw MigrationError(
                .notAStore,
                "There is no store in schema '\(schemaName)'; open it once with the model to make one.")
        }
        guard record.format == StoreMetadata.formatVersion else {
            throw MigrationError(
                .notAStore,
                record.format == StoreMetadata.formatOverExistingTables
                    ? "The tables in schema '\(schemaName)' are another program's, which migrates them itself."
                    : "The store has format \(record.format), this library migrates format "
                        + "\(StoreMetadata.formatVersion); use the library version that made it, or a newer one."
            )
        }
        return record
    }

    private func plan(for record: StoreRecord) throws -> MigrationPlan? {
        if record.checksum == target.versionChecksum { return nil }
        let source: ManagedObjectModel
        do {
            source = try ManagedObjectModel(canonicalJSON: record.model)
        } catch {
            throw MigrationError(
                .notAStore, "The model that the store was made with cannot be read: \(error)")
        }
        return try MigrationPlan(
            from: source, to: target, schemaName: schemaName, confirmedDrops: options.confirmedDrops)
    }
}
