internal import HowdahModel
internal import HowdahSchema
internal import PQClient

/// One stage from a model to another in a transaction: its locks, handlers and steps, and the record of the new model.
final class StageTransaction {
    let connection: Connection
    let source: ManagedObjectModel
    let target: ManagedObjectModel
    let plan: MigrationPlan
    /// The stage's name in the ledger.
    let label: String
    let handlers: StageHandlers
    /// The time that this attempt waits for locks.
    let lockTimeout: Duration
    /// The state of the store if the stage fails, as a sentence without its end.
    let aftermath: String
    /// The place among the stages of the run.
    let position: StagePosition
    let observer: MigrationObserver?
    /// The losses of the steps whose values the store did not hold when it was asked.
    let empty: [ModelLoss]
    /// The steps of an earlier migration that the plan gives up.
    let givenUp: GivenUpWork?
    let conduct: any StageConduct
    /// The other settings of the session; nil if no handler can change them.
    var settings: SessionSettings?
    /// The table that is being locked; nil before the first one and after the last one.
    private(set) var wanted: (table: String, mode: LockLevel)?

    /// - Parameter givenUp: The steps of an earlier migration that the plan gives up; nil if that is done already.
    init(
        _ planned: MigrationPath.PlannedStage, at position: StagePosition, of migration: StoreMigration,
        givenUp: GivenUpWork? = nil, waiting patience: Duration, aftermath: String,
        conduct: any StageConduct
    ) {
        connection = migration.connection
        source = planned.sourceModel
        target = planned.destinationModel
        plan = planned.plan
        label = position.label
        handlers = planned.stage.handlers
        lockTimeout = patience
        self.aftermath = aftermath
        self.position = position
        observer = migration.observer
        empty = planned.empty
        self.givenUp = givenUp
        self.conduct = conduct
    }

    /// Rules of other programs may be deferred to the end of the transaction.
    func commit() throws {
        do { try connection.commit() } catch let error as PostgresError where !error.isOfLocks {
            throw try refusal(error, of: "The end of the transaction") ?? error
        }
    }

    func failure(_ error: PostgresError) -> LockFailure {
        let holders = wanted.flatMap { wanted in
            try? LockHolder.ofTable(
                wanted.table, in: plan.schemaName, against: wanted.mode, on: connection)
        }
        return LockFailure(databaseError: error, table: wanted?.table, holders: holders ?? [])
    }

    /// The new model, without the requirements that rows need not fulfill yet.
    func migratedModel() throws -> ManagedObjectModel {
        plan.steps.contains(where: \.isRule) ? try target.withoutRequirements() : target
    }

    /// A session that waits for one table holds the locks of all others: the time is that of all together.
    func lock() throws {
        let end = ContinuousClock.now.advanced(by: lockTimeout)
        try connection.executeScript("\(MigrationPlan.stepSettings);\n\(Self.waiting(lockTimeout))")
        var allowed = lockTimeout
        for lock in try locks() {
            let left = ContinuousClock.now.duration(to: end)
            if left < allowed - .milliseconds(20) {
                allowed = left
                try connection.executeScript(Self.waiting(left))
            }
            wanted = lock
            try execute(
                "LOCK TABLE \(SQLIdentifier.quoted(plan.schemaName, lock.table)) IN \(lock.mode.rawValue) MODE"
            )
        }
        wanted = (StoreSchema.metadataTable, .rowExclusive)
        guard let record = try StoreRecord(in: plan.schemaName, on: connection, for: .writing, locking: true),
            record.checksum == plan.fromChecksum
        else {
            throw MigrationError(
                .busy,
                "Another program has migrated the store in schema '\(plan.schemaName)' meanwhile. Run the migration again."
            )
        }
        wanted = nil
        if allowed != lockTimeout { try connection.executeScript(Self.waiting(lockTimeout)) }
    }

    /// Tables in the order of their names. What handlers read is not known, and must not change under them: rows that
    /// other sessions write meanwhile would keep their old shape.
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

    static func waiting(_ time: Duration) -> String {
        "SET LOCAL lock_timeout = \(SQLLiteral.integer(time.settingInMilliseconds))"
    }

    /// Other sessions may have written before the tables were locked.
    func checkEmpty() throws {
        if empty.isEmpty { return }
        let schema = try StoreSchema(source, schemaName: plan.schemaName)
        let found = try empty.filter { loss in
            guard let question = loss.question(in: schema) else { return false }
            return try connection.query(question, cached: false).map { $0[0].isTrue }.first ?? false
        }
        if !found.isEmpty { throw MigrationError(refusals: found.map(\.refusal)) }
    }

    /// The deferred steps of an earlier migration have run by now, so the keys of the source exist.
    func checkForeignDeletions() throws {
        try ForeignDeletions(connection: connection, source: source, plan: plan, aftermath: aftermath).check()
    }

    func record() throws {
        let schema = try StoreSchema(target, schemaName: plan.schemaName)
        var model = Parameters()
        try model.append(target.canonicalJSON)
        try model.append(target.versionChecksum)
        let records = try connection.query(StoreMetadata.replacement(for: schema), model, cached: false)
        guard records.affectedRows == 1 else {
            throw MigrationError(
                handlers.areThere ? .handlerFailed : .database,
                "A script or handler of the stage deleted the store's record in \(StoreSchema.metadataTable) of the schema "
                    + "'\(plan.schemaName)'. \(aftermath). Remove its statements that change tables whose names begin with _howdah."
            )
        }
        try MigrationLedger.add(
            from: plan.fromChecksum, to: plan.toChecksum, label: label, steps: plan.json,
            in: plan.schemaName, on: connection)
        try PendingWork(connection, in: plan.schemaName).record(
            plan.steps.filter { $0.execution != .immediate })
        // The tables of the new model may be others, with other columns.
        try HistoryTriggers(of: schema, on: connection).renew()
        try MigratingRole(connection: connection, schemaName: plan.schemaName).settle(schema)
        try MigrationHistory.note(in: plan.schemaName, on: connection)
    }

    func execute(_ sql: String) throws { _ = try connection.query(sql, cached: false) }
}
