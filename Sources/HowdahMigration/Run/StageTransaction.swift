internal import HowdahModel
internal import HowdahSchema
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
    var lockTimeout: Duration
    /// What is with the store where nothing was done, as a sentence without its end.
    let aftermath: String
    /// Where among the stages of the run.
    var position = StagePosition()
    var observer: MigrationObserver?
    /// What the session is set to besides; nil where no handler could change it.
    var settings: SessionSettings?
    /// What the steps drop, and the store did not hold when it was asked.
    var empty: [ModelLoss] = []
    /// What an earlier migration left and the plan gives up.
    var givenUp: GivenUpWork?

    /// Does everything, or nothing.
    ///
    /// - Parameter patience: how long this try waits for locks.
    /// - Throws: `MigrationError` with `unfitData`, `handlerFailed`, `busy`, `database`; `LockFailure` where a lock was
    ///   not to be had; `PostgresError` where the transaction's own statements failed.
    func run(waiting patience: Duration) throws {
        var stage = self
        stage.lockTimeout = patience
        try stage.attempt()
    }

    private mutating func attempt() throws {
        var wanted: (table: String, mode: LockLevel)?
        try connection.begin()
        do {
            if handlers.areThere { settings = try SessionSettings(of: connection) }
            observer?(.stageBegan(position, plan))
            try lock(&wanted)
            try checkEmpty()
            try giveUp()
            try checkForeignDeletions()
            try run(handlers.willMigrate, "willMigrate", with: source)
            let steps = plan.steps.enumerated().filter { $0.element.execution == .immediate }
            let waits = handlers.didMigrate != nil
            try run(steps.filter { !(waits && $0.element.isRule) })
            if waits {
                try run(handlers.didMigrate, "didMigrate", with: migratedModel())
                try run(steps.filter(\.element.isRule))
            }
            try record()
            try commit()
            observer?(.stageEnded(position))
        } catch {
            // The error that led here is the one to report.
            try? connection.rollback()
            // What a handler prepared is for tables that are not, or not yet again.
            if connection.isUsable { try? execute("DEALLOCATE ALL") }
            if let error = error as? PostgresError, error.isOfLocks { throw failure(error, wanted) }
            throw error
        }
    }

    /// Rules of other programs may be deferred to the end of the transaction.
    private func commit() throws {
        do { try connection.commit() } catch let error as PostgresError where !error.isOfLocks {
            throw try refusal(error, of: "The end of the transaction") ?? error
        }
    }

    func failure(_ error: PostgresError, _ wanted: (table: String, mode: LockLevel)?) -> LockFailure {
        let holders = wanted.flatMap { wanted in
            try? LockHolder.ofTable(
                wanted.table, in: plan.schemaName, against: wanted.mode, on: connection)
        }
        return LockFailure(underlying: error, table: wanted?.table, holders: holders ?? [])
    }

    /// The new model, without the requirements that rows need not fulfil yet.
    func migratedModel() throws -> ManagedObjectModel {
        plan.steps.contains(where: \.isRule) ? try target.withoutRequirements() : target
    }

    /// Who waits for a table that is locked already waits for all others as well: the time is that of all together.
    ///
    /// - Parameter wanted: the table that it is about, until it has all of them.
    func lock(_ wanted: inout (table: String, mode: LockLevel)?) throws {
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

    func giveUp() throws {
        guard let givenUp else { return }
        for statement in givenUp.statements { try execute(statement) }
        let work = PendingWork(connection, in: plan.schemaName)
        for step in givenUp.steps { try work.complete(step) }
        for pending in givenUp.leftovers {
            do {
                if case .index(let name) = pending.step.work {
                    try execute("DROP INDEX IF EXISTS \(SQLIdentifier.quoted(plan.schemaName, name))")
                }
                for statement in pending.step.statements {
                    _ = try run(whole: statement, of: pending.step, "")
                }
            } catch let error as PostgresError
                where MigrationStep.refusalsOfRows.contains(error.sqlState ?? "")
            {
                try connection.rollback()
                throw MigrationError(
                    .unfinished,
                    try pending.step.refusal(error, on: connection) + "\n" + DeferredMigrationRunner.remedy,
                    underlying: error.withoutDetail)
            }
            try work.complete(pending)
        }
        if !givenUp.leftovers.isEmpty {
            var writer: String? = "The pending work of an earlier migration"
            try settleConstraints(&writer)
        }
    }

    /// What an earlier migration left is done by now, so that the keys of the source are those that are there.
    func checkForeignDeletions() throws {
        try ForeignDeletions(connection: connection, source: source, plan: plan, aftermath: aftermath).check()
    }

    /// Others may have written before the tables were locked.
    private func checkEmpty() throws {
        if empty.isEmpty { return }
        let schema = try StoreSchema(source, schemaName: plan.schemaName)
        let found = try empty.filter { loss in
            guard let question = loss.question(in: schema) else { return false }
            return try connection.query(question, cached: false).map { $0[0].bool }.first ?? false
        }
        if !found.isEmpty { throw MigrationError(refusals: found.map(\.refusal)) }
    }

    static func waiting(_ time: Duration) -> String {
        "SET LOCAL lock_timeout = \(SQLLiteral.integer(time.settingInMilliseconds))"
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

    /// Where rows are in the way of one step, the looks at rows of all others say what else there is.
    private func run(_ steps: [(offset: Int, element: MigrationStep)]) throws {
        var writer: String?
        for (place, step) in steps.enumerated() {
            guard let fault = try run(step.element, step.offset + 1, &writer) else { continue }
            let others = steps[(place + 1)...].filter { $0.element.check != nil }.compactMap {
                try? run($0.element, $0.offset + 1, &writer)
            }
            let all = [fault] + others
            throw MigrationError(
                .unfitData,
                all.count == 1
                    ? fault.alone
                    : "Rows do not fit the model. \(aftermath).\n"
                        + all.map { "- \($0.listed)" }.joined(separator: "\n")
            )
        }
        // Handlers may alter tables, too.
        try settleConstraints(&writer)
    }

    /// What a look at the rows found, with the state of the store and without it; nil if it found nothing, and for other
    /// steps.
    ///
    /// - Parameter writer: The last step that wrote rows, until they are checked.
    private func run(
        _ step: MigrationStep, _ number: Int, _ writer: inout String?
    ) throws -> (alone: String, listed: String)? {
        if let pass = step.pass {
            if pass == 0 { try run(handlers.mapping, "mapping", with: target) }
            return nil
        }
        let comment = position.comment(step: number, of: plan.steps.count)
        observer?(.stepBegan(number: number, count: plan.steps.count, step))
        do {
            guard let check = step.check, let statement = step.statements.first else {
                for statement in step.statements {
                    let isWriting = MigrationStep.isWriting(statement)
                    if !isWriting { try settleConstraints(&writer) }
                    try execute(comment + statement)
                    if isWriting { writer = place(of: step, number) }
                }
                return nil
            }
            let found = try connection.query(comment + statement, cached: false)
            guard let alone = check.violation(found, aftermath: aftermath),
                let listed = check.violation(found)
            else { return nil }
            return (alone, listed)
        } catch let error as PostgresError where error.sqlState == "2BP01" {
            // Something that others made on the tables. The library's own refusals come with a remedy.
            throw MigrationError(
                .database,
                "Step \(number) of \(plan.steps.count) (\(step.reason)): \(error.message). \(aftermath)."
                    + (error.hint.map { " \($0)" } ?? ""),
                underlying: error)
        } catch let error as PostgresError where !error.isOfLocks {
            let place = self.place(of: step, number)
            if let refusal = try refusal(error, of: place) { throw refusal }
            throw MigrationError(
                .database, "\(place) failed. \(aftermath). \(error.localeComplaint ?? Self.serverRemedy)",
                underlying: error)
        }
    }

    /// The error if a rule of the tables does not allow the rows; nil for other errors.
    func refusal(_ error: PostgresError, of place: String) throws -> MigrationError? {
        let schemas = try [source, target].map { try StoreSchema($0, schemaName: plan.schemaName) }
        return RuleRefusal(error, schemas).map {
            MigrationError(.unfitData, "\(place): \($0.message(aftermath))", underlying: $0.error)
        }
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
