internal import HowdahSchema
internal import PQClient

extension StageTransaction {
    /// What the stage is called that has what a migration does first.
    static let pendingLabel = "pending work of an earlier migration"

    /// Does the pending steps in the transaction that is open, with what is the same in one, and notes what they took; why the
    /// migration would not begin, or nil.
    ///
    /// - Throws: `LockFailure`, `PostgresError`.
    func rehearse(pending steps: [PendingMigrationStep], _ notes: RehearsalNotes) throws -> String? {
        notes.begin(stage: label)
        observer?(.pendingBegan(count: steps.count))
        try connection.savepoint("howdah_stage")
        try connection.executeScript("\(MigrationPlan.stepSettings);\n\(Self.waiting(lockTimeout))")
        let work = PendingWork(connection, in: plan.schemaName)
        for (place, pending) in steps.enumerated() {
            let step = pending.step
            let found = notes.report.stages.last?.violations.count
            do {
                if case .index(let name) = step.work {
                    // What is left of a build that was cut off.
                    try execute("DROP INDEX IF EXISTS \(SQLIdentifier.quoted(plan.schemaName, name))")
                }
                _ = try rehearse(step, place + 1, notes)
            } catch let error as PostgresError where error.isOfLocks || error.code == .deadlineExceeded {
                connection.deadline = nil
                try connection.rollback(toSavepoint: "howdah_stage")
                throw failure(error, step.tables.first.map { ($0, step.lock) })
            }
            if notes.report.stages.last?.violations.count == found { try work.complete(pending) }
        }
        guard notes.report.stages.last?.violations.isEmpty == true else {
            return "the \(label) has to finish before the migration: run howdah migrate finish"
        }
        // Nothing that these steps left to be checked may stand in the way of the next ones.
        try connection.executeScript("SET CONSTRAINTS ALL IMMEDIATE")
        return nil
    }
}
