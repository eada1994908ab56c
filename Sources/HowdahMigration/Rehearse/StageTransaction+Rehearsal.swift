internal import HowdahModel
internal import HowdahSchema
internal import PQClient

extension StageTransaction {
    /// The tables of the schema by their numbers, which stay theirs when they are renamed or dropped.
    typealias Tables = [Int64: (name: String, file: Int64)]

    /// Does everything in the transaction that is open, after a savepoint, and notes what it took; what ended it early, or
    /// nil.
    ///
    /// What rows do not keep is noted, and the next steps follow as if they did.
    /// - Parameters:
    ///   - known: the tables before the rehearsal, which others wait for.
    ///   - foreign: locks that the migration will not have by then, as an earlier transaction ends before it.
    /// - Throws: `MigrationError` with `handlerFailed`, `busy`; `LockFailure`; `PostgresError`.
    func rehearse(
        _ notes: RehearsalNotes, known: Tables, foreign: Set<RehearsalReport.Lock> = []
    ) throws -> String? {
        notes.begin(stage: label)
        observer?(.stageBegan(position, plan))
        try connection.savepoint("howdah_stage")
        let files = try storedTables()
        var wanted: (table: String, mode: LockLevel)?
        do {
            try lock(&wanted)
        } catch let error as PostgresError
            where error.isOfLocks || error.code == .deadlineExceeded && wanted != nil
        {
            // Who is in the way is asked after it, too.
            connection.deadline = nil
            try connection.rollback(toSavepoint: "howdah_stage")
            throw failure(error, wanted)
        }
        try giveUp()
        try checkForeignDeletions()
        func noteRewrites() throws {
            let now = try storedTables()
            notes.note {
                $0.rewrites = files.compactMap { key, old in
                    now[key].flatMap { $0.file == old.file ? nil : $0.name }
                }.sorted()
            }
        }
        func noteLocks() throws {
            let locks = try heldLocks(on: known).filter {
                !foreign.contains($0)
                    || $0.mode == "AccessExclusiveLock" && plan.lockedTables.contains($0.table)
            }
            notes.note { $0.locks = locks }
            try noteRewrites()
        }
        try noteLocks()
        try connection.executeScript("SET LOCAL \(MigrationRehearsal.setting) = 'on'")
        try rehearse(handlers.willMigrate, "willMigrate", with: source, notes)
        if handlers.willMigrate != nil { try noteLocks() }
        let waits = handlers.didMigrate != nil
        let steps = Array(plan.steps.enumerated())
        let immediate = steps.filter { $0.element.execution == .immediate }
        func rehearseImmediate(_ steps: [(offset: Int, element: MigrationStep)]) throws -> String? {
            for (place, step) in steps {
                let ending = try rehearse(step, place + 1, notes)
                if ending != nil || step.rewritesTable || step.pass != nil { try noteLocks() }
                if let ending { return ending }
            }
            return nil
        }
        if let ending = try rehearseImmediate(immediate.filter { !(waits && $0.element.isRule) }) {
            return ending
        }
        if waits {
            try noteLocks()
            try rehearse(handlers.didMigrate, "didMigrate", with: migratedModel(), notes)
            if let ending = try rehearseImmediate(immediate.filter(\.element.isRule)) { return ending }
        }
        if let ending = try rehearseConstraints(before: immediate.count + 1, notes) {
            try noteLocks()
            return ending
        }
        try record()
        try noteLocks()
        for (place, step) in steps where step.execution != .immediate {
            if let ending = try rehearse(step, place + 1, notes) {
                try noteRewrites()
                return ending
            }
        }
        try noteRewrites()
        observer?(.stageEnded(position))
        return nil
    }

    private func rehearse(
        _ handler: StageHandlers.Handler?, _ name: String, with model: ManagedObjectModel,
        _ notes: RehearsalNotes
    ) throws {
        guard handler != nil else { return }
        notes.begin(handler: name)
        let start = ContinuousClock.now
        defer {
            let seconds = (ContinuousClock.now - start) / .seconds(1)
            notes.note {
                $0.handlers.append(
                    RehearsalReport.Handler(name: name, seconds: seconds, afterSteps: $0.steps.count))
            }
        }
        try run(handler, name, with: model)
    }

    func rehearse(_ step: MigrationStep, _ number: Int, _ notes: RehearsalNotes) throws -> String? {
        if let pass = step.pass {
            if pass == 0 { try rehearse(handlers.mapping, "mapping", with: target, notes) }
            return nil
        }
        if !step.writesRowsLast, step.check == nil,
            let ending = try rehearseConstraints(before: number, notes)
        {
            return ending
        }
        notes.begin(step: number)
        observer?(.stepBegan(number: number, count: plan.steps.count, step))
        let start = ContinuousClock.now
        var rows = 0
        try connection.savepoint("howdah_step")
        do {
            var isUnchecked = false
            for statement in step.statements {
                let isWriting = MigrationStep.isWriting(statement)
                if isUnchecked, !isWriting { try connection.executeScript("SET CONSTRAINTS ALL IMMEDIATE") }
                isUnchecked = isWriting
                let result = try rehearse(statement, of: step, number)
                rows += result.affectedRows
                if let violation = step.check?.violation(result) {
                    notes.note { $0.violations.append("step \(number): \(violation)") }
                }
            }
            try connection.release(savepoint: "howdah_step")
        } catch let error as PostgresError where error.code == .server && !error.isOfLocks {
            try connection.rollback(toSavepoint: "howdah_step")
            let message: String
            if MigrationStep.refusalsOfRows.contains(error.sqlState ?? "") {
                let refusal = try step.refusal(error, on: connection)
                let reason = refusal.hasPrefix(step.reason) ? "" : " (\(step.reason))"
                message = "step \(number)\(reason): \(refusal)"
            } else {
                message = "step \(number) (\(step.reason)): \(StepObstacle(error, command: "rehearse"))"
            }
            notes.note { $0.violations.append(message) }
            // What rows do not keep does not stand in the way of other steps; anything else does.
            if error.sqlState?.hasPrefix("23") != true {
                return "the server refused step \(number) of \(plan.steps.count)"
            }
        }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        notes.note {
            $0.steps.append(
                RehearsalReport.Step(
                    number: number, reason: step.reason, seconds: seconds, rows: rows, lock: step.lock,
                    execution: step.execution))
        }
        return nil
    }

    /// The statement, or what does the same in a transaction.
    private func rehearse(_ statement: String, of step: MigrationStep, _ number: Int) throws -> QueryResult {
        try run(whole: statement, of: step, position.comment(step: number, of: plan.steps.count))
    }

    /// Runs a statement of a step that is not immediate, or what does the same in a transaction.
    func run(whole statement: String, of step: MigrationStep, _ comment: String) throws -> QueryResult {
        switch step.work {
        case .index:
            let sql = statement.replacing(" INDEX CONCURRENTLY ", with: " INDEX ", maxReplacements: 1)
            return try connection.query(comment + sql, cached: false)
        case .batches:
            var all = Parameters()
            all.append(Int64.min)
            all.append(Int64.max)
            return try connection.query(comment + statement, all, cached: false)
        case .validation, nil: return try connection.query(comment + statement, cached: false)
        }
    }

    /// Which file has the rows of each table: another one where all were written anew.
    func storedTables() throws -> Tables {
        var parameters = Parameters()
        try parameters.append(plan.schemaName)
        return Dictionary(
            try connection.query(
                "SELECT c.oid::pg_catalog.int8, c.relname::text, c.relfilenode::pg_catalog.int8 FROM pg_catalog.pg_class c "
                    + "JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
                    + "WHERE n.nspname = $1 AND c.relkind = 'r'", parameters, cached: false
            ).map { ($0[0].int64, ($0[1].string(), $0[2].int64)) }, uniquingKeysWith: { first, _ in first })
    }

    /// By their numbers: those that were dropped are in no catalogue any more, and locked all the same.
    func heldLocks(on known: Tables) throws -> [RehearsalReport.Lock] {
        try connection.query(
            """
            SELECT DISTINCT l.relation::pg_catalog.int8, l.mode FROM pg_catalog.pg_locks l
            WHERE l.pid = pg_catalog.pg_backend_pid() AND l.granted AND l.locktype = 'relation'
                AND l.mode IN ('ShareLock', 'ShareRowExclusiveLock', 'AccessExclusiveLock')
            """, cached: false
        ).map { ($0[0].int64, $0[1].string()) }.compactMap { number, mode in
            known[number].flatMap { table in
                table.name.hasPrefix("_howdah") ? nil : RehearsalReport.Lock(table: table.name, mode: mode)
            }
        }.sorted { ($0.table, $0.mode) < ($1.table, $1.mode) }
    }
}
