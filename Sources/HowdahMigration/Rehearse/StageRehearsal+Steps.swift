internal import HowdahModel
internal import HowdahSchema
internal import PQClient

extension StageRehearsal {
    /// The label of the stage in which the pending work of an earlier migration is rehearsed.
    static let pendingLabel = "pending work of an earlier migration"

    /// Runs a step after a savepoint, and notes its duration, its rows, and what they break.
    ///
    /// - Throws: `RehearsalEnding` if the server refuses the step for another reason than its rows.
    func note(
        _ step: MigrationStep, _ number: Int, of stage: StageTransaction,
        _ writer: inout StageTransaction.Writer?
    ) throws {
        let connection = stage.connection
        notes.begin(step: number)
        stage.observer?(.stepBegan(number: number, count: stage.plan.steps.count, step))
        let start = ContinuousClock.now
        var rows = 0
        try connection.savepoint("howdah_step")
        do {
            try stage.runStatements(of: step, number, &writer) { writer in
                if writer != nil { try connection.executeScript("SET CONSTRAINTS ALL IMMEDIATE") }
                writer = nil
            } _: { result in
                rows += result.affectedRows
                if let violation = step.check?.violation(result) {
                    notes.note { $0.violations.append("step \(number): \(violation)") }
                }
            }
            try connection.release(savepoint: "howdah_step")
        } catch let error as PostgresError where error.code == .server && !error.isOfLocks {
            try connection.rollback(toSavepoint: "howdah_step")
            writer = nil
            let message = try Self.message(error, of: step, number, on: connection)
            notes.note { $0.violations.append(message) }
            // Rows that break a rule are not in the way of other steps; anything else is.
            if error.sqlState?.hasPrefix("23") != true { throw RehearsalEnding(stage, at: number) }
        }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        notes.note {
            $0.steps.append(
                RehearsalReport.Step(
                    number: number, reason: step.reason, seconds: seconds, rows: rows, lock: step.lock,
                    execution: step.execution))
        }
    }

    private static func message(
        _ error: PostgresError, of step: MigrationStep, _ number: Int, on connection: Connection
    ) throws -> String {
        guard MigrationStep.refusalsOfRows.contains(error.sqlState ?? "") else {
            return "step \(number) (\(step.reason)): \(StepObstacle(error, command: "rehearse"))"
        }
        let refusal = try step.refusal(error, on: connection)
        let reason = refusal.hasPrefix(step.reason) ? "" : " (\(step.reason))"
        return "step \(number)\(reason): \(refusal)"
    }

    /// Runs the steps that an earlier migration left, with the same effect in the open transaction.
    ///
    /// - Returns: The locks that the migration will not have, because these steps are done before it.
    /// - Throws: `RehearsalEnding` if the migration would not begin; `LockFailure`; `PostgresError`.
    func run(
        pending steps: [PendingMigrationStep], _ stage: StageTransaction
    ) throws -> Set<RehearsalReport.Lock> {
        let connection = stage.connection
        notes.begin(stage: stage.label)
        stage.observer?(.pendingBegan(count: steps.count))
        try connection.savepoint("howdah_stage")
        try connection.executeScript(
            "\(MigrationPlan.stepSettings);\n\(StageTransaction.waiting(stage.lockTimeout))")
        let work = PendingWork(connection, in: stage.plan.schemaName)
        var writer: StageTransaction.Writer?
        for (place, pending) in steps.enumerated() {
            let found = notes.report.stages.last?.violations.count
            do {
                if case .index(let name) = pending.step.work {
                    // The remains of a build that was cut off.
                    try stage.execute(
                        "DROP INDEX IF EXISTS \(SQLIdentifier.quoted(stage.plan.schemaName, name))")
                }
                do {
                    if !pending.step.writesRowsLast { try settle(&writer, of: stage) }
                    try note(pending.step, place + 1, of: stage, &writer)
                } catch is RehearsalEnding {
                    // The violation is in the report, and the other steps follow.
                }
            } catch let error as PostgresError where error.isOfLocks || error.code == .deadlineExceeded {
                connection.deadline = nil
                try connection.rollback(toSavepoint: "howdah_stage")
                let table = pending.step.tables.first
                let holders = table.flatMap {
                    try? LockHolder.ofTable(
                        $0, in: stage.plan.schemaName, against: pending.step.lock, on: connection)
                }
                throw LockFailure(underlying: error, table: table, holders: holders ?? [])
            }
            if notes.report.stages.last?.violations.count == found { try work.complete(pending) }
        }
        guard notes.report.stages.last?.violations.isEmpty == true else {
            throw RehearsalEnding(
                "the \(stage.label) has to finish before the migration: run howdah migrate finish")
        }
        // No outstanding check of these steps may be in the way of the next ones.
        try connection.executeScript("SET CONSTRAINTS ALL IMMEDIATE")
        return Set(try heldLocks(on: connection))
    }
}

extension MigrationPath.PlannedStage {
    /// The stage of the same store that consists of its pending steps.
    func holding(_ pending: [PendingMigrationStep]) -> MigrationPath.PlannedStage {
        MigrationPath.PlannedStage(
            stage: MigrationPath.Stage(
                label: StageRehearsal.pendingLabel, kind: .lightweight, handlers: StageHandlers(),
                confirmedDrops: [], mapping: nil),
            source: source, destination: source, sourceModel: sourceModel, destinationModel: sourceModel,
            plan: MigrationPlan(
                fromChecksum: plan.fromChecksum, toChecksum: plan.fromChecksum, schemaName: plan.schemaName,
                changes: [], steps: pending.map(\.step), lockedTables: []),
            empty: [], isListed: isListed)
    }
}
