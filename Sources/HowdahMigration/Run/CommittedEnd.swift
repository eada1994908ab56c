internal import PQClient

/// Commits each stage: if a run ends early, the store has the version before the stage that failed.
struct CommittedEnd: MigrationEnd {
    func pending(_ work: DeferredWork, before plan: MigrationPlan) throws -> GivenUpWork {
        try work.finishEverything(before: plan)
        return try work.givenUp(by: plan)
    }

    func perform(
        _ stages: [MigrationPath.PlannedStage], _ givenUp: GivenUpWork?, of migration: StoreMigration,
        within budget: Duration, _ body: @escaping (StageTransaction) throws -> Void
    ) throws {
        for (place, planned) in stages.enumerated() {
            let position = StagePosition(
                number: place + 1, count: stages.count, label: migration.label(of: planned))
            try planned.naming(position, planned.aftermath) {
                try LockRetry(
                    budget: place == 0 ? budget : migration.options.lockBudget,
                    timeout: migration.options.lockTimeout, aftermath: planned.aftermath,
                    canceller: migration.connection.canceller, observer: migration.observer
                ).run { patience in
                    try Self.attempt(
                        StageTransaction(
                            planned, at: position, of: migration, givenUp: place == 0 ? givenUp : nil,
                            waiting: patience, aftermath: planned.aftermath, conduct: DirectConduct()), body)
                }
            }
        }
    }

    func online(_ work: DeferredWork) throws { try work.finishOnline() }

    func release(_ lock: MigrationLock) { lock.release() }

    /// Does everything of a stage, or nothing.
    private static func attempt(
        _ stage: StageTransaction, _ body: (StageTransaction) throws -> Void
    ) throws {
        let connection = stage.connection
        var isEnding = false
        try connection.begin()
        do {
            if stage.handlers.areThere { stage.settings = try SessionSettings(of: connection) }
            stage.observer?(.stageBegan(stage.position, stage.plan))
            try body(stage)
            isEnding = true
            try stage.commit()
            stage.observer?(.stageEnded(stage.position))
        } catch {
            // The error that led here is the one to report.
            try? connection.rollback()
            // What a handler prepared is for tables that do not exist, or not yet again.
            if connection.isUsable { try? stage.execute("DEALLOCATE ALL") }
            guard var refusal = error as? PostgresError else { throw error }
            if refusal.isOfLocks { throw stage.failure(refusal) }
            // Of a script in between it is not known whether it commits.
            if !isEnding { refusal.mayHaveCommitted = false }
            throw refusal
        }
    }
}
