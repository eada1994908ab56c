package import HowdahModel
package import PQClient

/// Takes a store through versions of its model, each stage in one transaction: wherever it is stopped, the store has one
/// of the listed versions, and the next run goes on from there.
package struct StagedMigrationRunner {
    private let connection: Connection
    private let path: MigrationPath
    private let target: ManagedObjectModel
    private let schemaName: String
    private let options: MigrationOptions
    /// Is told what happens, on the thread that migrates.
    package var observer: MigrationObserver?

    /// A runner on a session of its own, which nothing else uses meanwhile.
    package init(
        _ connection: Connection, _ path: MigrationPath, to target: ManagedObjectModel,
        schemaName: String = "public", options: MigrationOptions = MigrationOptions()
    ) {
        self.connection = connection
        self.path = path
        self.target = target
        self.schemaName = schemaName
        self.options = options
    }

    /// The stages that the store needs, none where it has the model already. Reads only.
    ///
    /// - Throws: `MigrationError`.
    package func plan() throws -> StagedMigrationPlan {
        try MigrationError.wrapping { StagedMigrationPlan(try legs()) }
    }

    /// Takes the migration's lock, infers all stages from what the store says of itself by then, and does them; those
    /// that were done.
    ///
    /// Blocks. A stage whose tables cannot be locked within ``MigrationOptions/lockTimeout`` is undone and tried again,
    /// handlers included, until ``MigrationOptions/lockBudget`` is spent, which each stage has anew.
    ///
    /// - Throws: `MigrationError`; the store then has the version before the stage that failed.
    @discardableResult
    package func apply() throws -> StagedMigrationPlan {
        try MigrationError.wrapping {
            let lock = MigrationLock(connection: connection, schemaName: schemaName)
            try lock.take(within: options.lockBudget, observer)
            defer { lock.release() }
            let legs = try legs()
            var work = DeferredMigrationRunner(connection, schemaName: schemaName, options: options)
            work.observer = observer
            if !legs.isEmpty { try work.finishEverything(beforeAnother: true) }
            for (number, leg) in legs.enumerated() { try run(leg, number + 1, of: legs.count) }
            try work.finishOnline()
            return StagedMigrationPlan(legs)
        }
    }

    private func run(_ leg: MigrationPath.Leg, _ number: Int, of count: Int) throws {
        let stage = StageTransaction(
            connection: connection, source: leg.sourceModel, target: leg.destinationModel, plan: leg.plan,
            label: leg.hop.label, handlers: leg.hop.handlers, lockTimeout: options.lockTimeout,
            aftermath: "The store has the version \(leg.source.name)",
            position: StagePosition(number: number, count: count, label: leg.hop.label), observer: observer)
        do {
            try LockRetry(
                budget: options.lockBudget, timeout: options.lockTimeout, aftermath: stage.aftermath,
                canceller: connection.canceller, observer: observer
            ).run { try stage.run(waiting: $0) }
        } catch let error as MigrationError {
            throw MigrationError(
                error.code, "Stage \(number) of \(count) (\(leg.hop.label)): \(error.message)",
                refusals: error.refusals, underlying: error.underlying, cause: error.cause)
        } catch let error as PostgresError {
            throw MigrationError(
                .database,
                "Stage \(number) of \(count) (\(leg.hop.label)): the database refused. "
                    + (error.mayHaveCommitted
                        ? "Whether the stage was done shows when the migration is run again"
                        : stage.aftermath),
                underlying: error)
        }
    }

    private func legs() throws -> [MigrationPath.Leg] {
        let record = try StoreRecord.migratable(in: schemaName, on: connection)
        return try path.legs(
            from: record.migratableModel(), to: target, schemaName: schemaName,
            confirmedDrops: options.confirmedDrops, shouldDefer: options.shouldDeferLightweightMigration)
    }
}
