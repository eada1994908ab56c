internal import HowdahModel
internal import PQClient

extension StageTransaction {
    /// Does everything in the transaction that is open, after a savepoint, and tells what it took; what ended it early, or
    /// nil.
    ///
    /// What rows do not keep is noted, and the next steps follow as if they did.
    /// - Throws: `MigrationError` with `handlerFailed`, `busy`; `PostgresError`.
    func rehearse(_ report: inout RehearsalReport.Stage) throws -> String? {
        let start = ContinuousClock.now
        observer?(.stageBegan(position, plan))
        try connection.savepoint("howdah_stage")
        let files = try storedFiles()
        var wanted: (table: String, mode: LockLevel)?
        try lock(&wanted)
        try connection.executeScript("SET LOCAL howdah.rehearsal = 'on'")
        try run(handlers.willMigrate, "willMigrate", with: source)
        let waits = handlers.didMigrate != nil
        let steps = Array(plan.steps.enumerated())
        for (place, step) in steps where !(waits && step.isRule) {
            if let ending = try rehearse(step, place + 1, &report) { return ending }
        }
        if waits {
            try run(handlers.didMigrate, "didMigrate", with: migratedModel())
            for (place, step) in steps where step.isRule {
                if let ending = try rehearse(step, place + 1, &report) { return ending }
            }
        }
        try record()
        let now = try storedFiles()
        report.rewrites = files.compactMap { key, old in
            now[key].flatMap { $0.file == old.file ? nil : $0.name }
        }.sorted()
        report.locks = try heldLocks()
        report.seconds = (ContinuousClock.now - start) / .seconds(1)
        observer?(.stageEnded(position))
        return nil
    }

    private func rehearse(
        _ step: MigrationStep, _ number: Int, _ report: inout RehearsalReport.Stage
    ) throws -> String? {
        observer?(.stepBegan(number: number, count: plan.steps.count, step))
        if let pass = step.pass {
            if pass == 0 { try run(handlers.mapping, "mapping", with: target) }
            return nil
        }
        let comment = position.comment(step: number, of: plan.steps.count)
        let start = ContinuousClock.now
        var rows = 0
        try connection.savepoint("howdah_step")
        do {
            for statement in step.statements {
                let result = try connection.query(comment + statement, cached: false)
                rows += result.affectedRows
                if let violation = step.check?.violation(result.map { ($0[0].int64, $0[1].int64) }) {
                    report.violations.append("step \(number): \(violation)")
                }
            }
            try connection.release(savepoint: "howdah_step")
        } catch let error as PostgresError where error.code == .server && !error.isOfLocks {
            try connection.rollback(toSavepoint: "howdah_step")
            report.violations.append("step \(number) (\(step.reason)): \(error)")
            // What rows do not keep does not stand in the way of other steps; anything else does.
            if error.sqlState?.hasPrefix("23") != true {
                return "the server refused step \(number) of \(plan.steps.count)"
            }
        }
        report.steps.append(
            RehearsalReport.Step(
                number: number, reason: step.reason, seconds: (ContinuousClock.now - start) / .seconds(1),
                rows: rows, lock: step.lock))
        return nil
    }

    /// Which file has the rows of each table: another one where all were written anew.
    private func storedFiles() throws -> [Int64: (name: String, file: Int64)] {
        var parameters = Parameters()
        try parameters.append(plan.schemaName)
        return Dictionary(
            try connection.query(
                "SELECT c.oid::pg_catalog.int8, c.relname::text, c.relfilenode::pg_catalog.int8 FROM pg_catalog.pg_class c "
                    + "JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
                    + "WHERE n.nspname = $1 AND c.relkind = 'r'", parameters, cached: false
            ).map { ($0[0].int64, ($0[1].string(), $0[2].int64)) }, uniquingKeysWith: { first, _ in first })
    }

    private func heldLocks() throws -> [RehearsalReport.Lock] {
        var parameters = Parameters()
        try parameters.append(plan.schemaName)
        return try connection.query(
            """
            SELECT DISTINCT c.relname::text, l.mode FROM pg_catalog.pg_locks l
            JOIN pg_catalog.pg_class c ON c.oid = l.relation JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
            WHERE l.pid = pg_catalog.pg_backend_pid() AND l.granted AND n.nspname = $1 AND c.relkind IN ('r', 'p')
                AND l.mode IN ('ShareLock', 'ShareRowExclusiveLock', 'AccessExclusiveLock')
                AND c.relname NOT LIKE '\\_howdah%'
            ORDER BY 1, 2
            """, parameters, cached: false
        ).map { RehearsalReport.Lock(table: $0[0].string(), mode: $0[1].string()) }
    }
}
