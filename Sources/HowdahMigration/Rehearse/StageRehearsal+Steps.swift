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
        // A look comes just before the rule that it is for.
        let isLook = step.check != nil && step.violationQuery == nil
        let isNamed = !isLook && !broken.isDisjoint(with: step.tables)
        defer { if !isLook { broken = [] } }
        try connection.savepoint("howdah_step")
        do {
            try stage.runStatements(of: step, number, &writer) { writer in
                if writer != nil { try connection.executeScript("SET CONSTRAINTS ALL IMMEDIATE") }
                writer = nil
            } _: { result in
                rows += result.affectedRows
                if let violation = step.check?.violation(result) {
                    broken.formUnion(step.tables)
                    notes.note { $0.violations.append("step \(number): \(violation)") }
                }
            }
            try connection.release(savepoint: "howdah_step")
        } catch let error as PostgresError where error.code == .server && !error.isOfLocks {
            try connection.rollback(toSavepoint: "howdah_step")
            writer = nil
            let isOfRows = error.sqlState?.hasPrefix("23") == true
            if !isOfRows || !isNamed {
                let message = try Self.message(error, of: step, number, on: connection)
                notes.note { $0.violations.append(message) }
            }
            // Rows that break a rule are not in the way of other steps; anything else is.
            if !isOfRows { throw RehearsalEnding(stage, at: number) }
        }
        notes.note(step, number, rows, since: start)
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
    /// - Parameter isBefore: Indicates whether stages follow, which begin only if all of these steps succeed.
    /// - Returns: The locks that the migration will not have, because these steps are done before it.
    /// - Throws: `RehearsalEnding` if the migration would not begin; `LockFailure`; `PostgresError`.
    func run(
        pending steps: [PendingMigrationStep], _ stage: StageTransaction, beforeStages isBefore: Bool
    ) throws -> Set<RehearsalReport.Lock> {
        let connection = stage.connection
        notes.begin(stage: stage.label)
        stage.observer?(.pendingBegan(count: steps.count))
        try connection.savepoint("howdah_stage")
        try connection.executeScript(
            "\(MigrationPlan.stepSettings);\n\(StageTransaction.waiting(stage.lockTimeout))")
        let work = PendingWork(connection, in: stage.plan.schemaName)
        var writer: StageTransaction.Writer?
        var refusal: RehearsalEnding?
        for (place, pending) in steps.enumerated() {
            let found = notes.report.stages.last?.violations.count
            do {
                if !pending.step.writesRowsLast { try settle(&writer, of: stage) }
                let step = try remainder(of: pending.step, place + 1, stage)
                try note(step, place + 1, of: stage, &writer)
            } catch let ending as RehearsalEnding {
                // The violation is in the report, and the other steps follow.
                refusal = refusal ?? ending
            } catch let error as PostgresError where error.isOfLocks || error.code == .deadlineExceeded {
                connection.deadline = nil
                try connection.rollback(toSavepoint: "howdah_stage")
                let table = pending.step.tables.first
                let holders = table.flatMap {
                    try? LockHolder.ofTable(
                        $0, in: stage.plan.schemaName, against: pending.step.lock, on: connection)
                }
                // The budget can end without a wait.
                if !error.isOfLocks, holders?.isEmpty != false { throw error }
                throw LockFailure(databaseError: error, table: table, holders: holders ?? [])
            }
            if notes.report.stages.last?.violations.count == found { try work.complete(pending) }
        }
        if !isBefore {
            if let refusal { throw refusal }
            return []
        }
        guard notes.report.stages.last?.violations.isEmpty == true else {
            throw RehearsalEnding(
                "the \(stage.label) has to finish before the migration: run howdah migrate finish")
        }
        // No outstanding check of these steps may be in the way of the next ones.
        try connection.executeScript("SET CONSTRAINTS ALL IMMEDIATE")
        return Set(try heldLocks(on: connection))
    }

    /// Returns the part of a pending step that is not done, as the migration finds it: an interrupted run may have built its
    /// index, or a part of it.
    ///
    /// - Throws: `RehearsalEnding` if another program's index has the name, which is a violation; `PostgresError`.
    private func remainder(of step: MigrationStep, _ number: Int, _ stage: StageTransaction) throws
        -> MigrationStep
    {
        guard case .index(let name) = step.work else { return step }
        let (connection, schemaName) = (stage.connection, stage.plan.schemaName)
        guard let isValid = try IndexComparison.isValid(name, in: schemaName, on: connection) else {
            return step
        }
        guard isValid else {
            try stage.execute("DROP INDEX \(SQLIdentifier.quoted(schemaName, name))")
            return step
        }
        let comparison = IndexComparison(connection: connection, schemaName: schemaName, step: step)
        if try comparison.isForeign() {
            notes.note {
                $0.violations.append(
                    "step \(number): \(comparison.message) Then run howdah migrate rehearse again.")
            }
            throw RehearsalEnding(stage, at: number)
        }
        return MigrationStep(
            step.reason, on: step.tables, Array(step.statements.dropFirst()), lock: step.lock,
            isRule: step.isRule, check: step.check, execution: step.execution,
            violationQuery: step.violationQuery)
    }
}

extension MigrationPath.PlannedStage {
    /// The stage of a store of a model that consists of its pending steps.
    static func holding(
        _ pending: [PendingMigrationStep], of model: ManagedObjectModel, in schemaName: String
    ) -> MigrationPath.PlannedStage {
        let checksum = model.versionChecksum
        let version = MigrationPath.Version(
            name: String(checksum.prefix(12)), checksum: checksum, model: model)
        return MigrationPath.PlannedStage(
            stage: MigrationPath.Stage(
                label: StageRehearsal.pendingLabel, kind: .lightweight, handlers: StageHandlers(),
                confirmedDrops: [], mapping: nil),
            source: version, destination: version, sourceModel: model, destinationModel: model,
            plan: MigrationPlan(
                fromChecksum: checksum, toChecksum: checksum, schemaName: schemaName,
                changes: [], steps: pending.map(\.step), lockedTables: []),
            empty: [], isListed: false)
    }
}
