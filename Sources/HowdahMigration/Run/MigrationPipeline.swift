internal import HowdahModel

/// The stages of a migration, in order; `docs/life-of-a-migration.md` uses the same numbers.
///
/// A `MigrationEnd` decides whether they are committed or rolled back, and what is repeated.
struct MigrationPipeline {
    let migration: StoreMigration
    let end: any MigrationEnd

    init(_ migration: StoreMigration, end: any MigrationEnd) {
        self.migration = migration
        self.end = end
    }

    @discardableResult
    func run() throws -> StagedMigrationPlan {
        let limit = ContinuousClock.now.advanced(by: migration.options.lockBudget)
        // 1 Lock: one program at a time migrates a store.
        let lock = try lock()
        defer { end.release(lock) }
        let budget = ContinuousClock.now.duration(to: limit)
        // 2 Read: the store's model, from its record; nil if it has the target already.
        let stored = try read()
        // 3 Path: the versions from there to the target, and the plan of each stage between them.
        var stages = try path(stored)
        // 4 Pending: the steps that an earlier migration has left are finished, or given up with what the plan drops.
        let givenUp = try pending(&stages)
        // Stages 5 to 10 are one transaction for each stage of the path, and run again if a table was not free.
        try end.perform(stages, givenUp, of: migration, within: budget) { stage in
            // 5 Tables: their locks, and what is only known under them.
            try tables(stage)
            // 6 WillMigrate: the program's handler, with the old model.
            try willMigrate(stage)
            // 7 Steps: the plan's statements and the passes of a mapping; rules too, if no handler follows.
            try steps(stage)
            // 8 DidMigrate: the program's handler, with the new model.
            try didMigrate(stage)
            // 9 Rules: what the rows must fulfill after the handler.
            try rules(stage)
            // 10 Record: the new model, and a row in the ledger.
            try record(stage)
        }
        // 11 Online: what the new model relies on and needs no transaction with locks.
        try online()
        return StagedMigrationPlan(stages)
    }

    // MARK: The stages

    private func lock() throws -> MigrationLock {
        let lock = MigrationLock(connection: migration.connection, schemaName: migration.schemaName)
        try lock.take(within: migration.options.lockBudget, migration.observer)
        return lock
    }

    private func read() throws -> ManagedObjectModel? { try migration.storedModel() }

    private func path(_ stored: ManagedObjectModel?) throws -> [MigrationPath.PlannedStage] {
        guard let stored else { return [] }
        let planned = try migration.plannedStages(from: stored)
        try planned.check()
        try MigratingRole(connection: migration.connection, schemaName: migration.schemaName)
            .check(planned.all)
        return planned.all
    }

    private func pending(_ stages: inout [MigrationPath.PlannedStage]) throws -> GivenUpWork? {
        guard let first = stages.first else { return nil }
        let work = try end.pending(migration.deferredWork, before: first.plan)
        stages[0].plan = work.plan
        return work
    }

    private func tables(_ stage: StageTransaction) throws {
        try stage.lock()
        try stage.checkEmpty()
        try stage.giveUp()
        try stage.checkForeignDeletions()
        try stage.conduct.tablesAreLocked(stage)
    }

    private func willMigrate(_ stage: StageTransaction) throws {
        try stage.run(stage.handlers.willMigrate, "willMigrate", with: stage.source)
    }

    private func steps(_ stage: StageTransaction) throws { try stage.run(stage.steps) }

    private func didMigrate(_ stage: StageTransaction) throws {
        try stage.run(stage.handlers.didMigrate, "didMigrate", with: stage.migratedModel())
    }

    private func rules(_ stage: StageTransaction) throws { try stage.run(stage.lateRules) }

    private func record(_ stage: StageTransaction) throws {
        try stage.record()
        try stage.conduct.isRecorded(stage)
    }

    private func online() throws { try end.online(migration.deferredWork) }
}

extension StoreMigration {
    /// The steps that deferred migrations have left.
    fileprivate var deferredWork: DeferredWork {
        var work = DeferredWork(connection, schemaName: schemaName, options: options)
        work.observer = observer
        return work
    }
}
