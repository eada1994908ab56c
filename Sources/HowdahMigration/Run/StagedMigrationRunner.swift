package import HowdahModel
internal import HowdahSchema
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

    /// The stages that the store needs, none if it has the model already. Reads only.
    ///
    /// - Throws: `MigrationError`.
    package func plan() throws -> StagedMigrationPlan {
        try preview().plan
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
            if let first = legs.first { try work.finishEverything(before: first.plan) }
            for (number, leg) in legs.enumerated() {
                try run(leg, number + 1, of: legs.count, number == 0 ? work.givenUp(by: leg.plan) : nil)
            }
            try work.finishOnline()
            return StagedMigrationPlan(legs)
        }
    }

    private func run(
        _ leg: MigrationPath.Leg, _ number: Int, of count: Int, _ givenUp: GivenUpWork?
    ) throws {
        let stage = StageTransaction(
            connection: connection, source: leg.sourceModel, target: leg.destinationModel,
            plan: givenUp?.plan ?? leg.plan,
            label: leg.hop.label, handlers: leg.hop.handlers, lockTimeout: options.lockTimeout,
            aftermath: "The store has the version \(leg.source.name)",
            position: StagePosition(number: number, count: count, label: leg.hop.label), observer: observer,
            empty: leg.empty, givenUp: givenUp)
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
                "Stage \(number) of \(count) (\(leg.hop.label)): the database operation failed. "
                    + (error.mayHaveCommitted
                        ? "The stage may be complete. Run the migration again to find out."
                        : "\(stage.aftermath). \(StageTransaction.serverRemedy)"),
                underlying: error)
        }
    }

    /// The stages that the store needs, and the error that they end with until you confirm their drops.
    ///
    /// Reads only. Takes up to 2 seconds for each name, and 6 in all.
    ///
    /// - Throws: `MigrationError`, also if a stage cannot be inferred.
    package func preview() throws -> (plan: StagedMigrationPlan, refusal: MigrationError?) {
        try MigrationError.wrapping {
            let way = try way()
            if way.refusals.contains(where: { !$0.isLoss }) { try way.check() }
            // The tables of later stages are not there yet.
            if let leg = way.legs.first {
                try ForeignDeletions.check(
                    leg.plan, from: leg.sourceModel, "The store has the version \(leg.source.name)",
                    on: connection)
            }
            return (StagedMigrationPlan(way.legs), way.refusal)
        }
    }

    /// The error that the stages end with until you confirm their drops; nil if no confirmation is missing.
    ///
    /// Reads only. Takes up to 2 seconds for each name, and 6 in all.
    ///
    /// - Throws: `MigrationError`.
    package func refusal() throws -> MigrationError? {
        try MigrationError.wrapping { try way().refusal }
    }

    private func legs() throws -> [MigrationPath.Leg] {
        let way = try way()
        try way.check()
        return way.legs
    }

    private func way() throws -> MigrationPath.Way {
        let stored = try StoreRecord.migratable(in: schemaName, on: connection).migratableModel()
        let isCurrent = target.hasChecksum(stored.versionChecksum)
        if !isCurrent {
            try MigratingRole(connection: connection, schemaName: schemaName).check()
        }
        let way = try path.way(
            from: stored, to: target, schemaName: schemaName, confirmedDrops: options.confirmedDrops,
            shouldDefer: options.shouldDeferLightweightMigration,
            asking: DropCheck(connection, stored, in: schemaName))
        if !isCurrent, !options.goesBack,
            try MigrationLedger.hasLeft(
                target, forward: !options.isOpening, in: schemaName, on: connection)
        {
            throw MigrationError.wouldGoBack(in: schemaName)
        }
        return way
    }
}
