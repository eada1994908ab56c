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
            try Self.naming(planned, position) {
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
        try connection.begin()
        do {
            if stage.handlers.areThere { stage.settings = try SessionSettings(of: connection) }
            stage.observer?(.stageBegan(stage.position, stage.plan))
            try body(stage)
            try stage.commit()
            stage.observer?(.stageEnded(stage.position))
        } catch {
            // The error that led here is the one to report.
            try? connection.rollback()
            // What a handler prepared is for tables that do not exist, or not yet again.
            if connection.isUsable { try? stage.execute("DEALLOCATE ALL") }
            if let error = error as? PostgresError, error.isOfLocks { throw stage.failure(error) }
            throw error
        }
    }

    /// Adds the place of a listed stage to its errors.
    private static func naming(
        _ planned: MigrationPath.PlannedStage, _ position: StagePosition, _ body: () throws -> Void
    ) throws {
        guard planned.isListed else { return try body() }
        let title = "Stage \(position.number) of \(position.count) (\(planned.stage.label))"
        do {
            try body()
        } catch let error as MigrationError {
            throw MigrationError(
                error.code, "\(title): \(error.message)", refusals: error.refusals,
                underlying: error.underlying, cause: error.cause)
        } catch let error as PostgresError {
            throw MigrationError(
                .database,
                "\(title): the database operation failed. "
                    + (error.mayHaveCommitted
                        ? "The stage may be complete. Run the migration again to find out."
                        : "\(planned.aftermath). \(StageTransaction.serverRemedy)"),
                underlying: error)
        }
    }
}
