package import HowdahModel
internal import HowdahSchema
package import PQClient

/// The migration of one store to a model, through the stages of a path or by one inference.
///
/// Each stage is one transaction. If a run ends early, the store has the version before the stage that failed, and the
/// next run continues from there.
package struct StoreMigration {
    package let connection: Connection
    /// The versions that stores pass through; nil for one inference.
    package let path: MigrationPath?
    package let target: ManagedObjectModel
    package let schemaName: String
    /// The versions of the model in their order if the path is nil. Empty if they are not known.
    package var order: [ManagedObjectModel] = []
    package var options: MigrationOptions
    /// Receives the events of a run, on the thread that migrates.
    package var observer: MigrationObserver?

    /// Creates a migration on a session that nothing else uses meanwhile.
    package init(
        _ connection: Connection, _ path: MigrationPath? = nil, to target: ManagedObjectModel,
        schemaName: String = "public", options: MigrationOptions = MigrationOptions()
    ) {
        self.connection = connection
        self.path = path
        self.target = target
        self.schemaName = schemaName
        self.options = options
    }

    /// Runs the stages that the store needs, and returns them; none if it has the model already.
    ///
    /// Blocks. Everything is inferred under the migration's lock. A stage whose tables cannot be locked within
    /// ``MigrationOptions/lockTimeout`` is rolled back and repeated, with its handlers, until
    /// ``MigrationOptions/lockBudget`` is spent. The wait for the migration's lock is part of the first stage's budget.
    ///
    /// - Throws: `MigrationError`; the store then has the version before the stage that failed. With `unfinished`, or if
    ///   online work failed, it has the new model, and the next run continues.
    @discardableResult
    package func apply() throws -> StagedMigrationPlan {
        try MigrationError.wrapping {
            if try isDone() { return StagedMigrationPlan() }
            return try MigrationPipeline(self, end: CommittedEnd()).run()
        }
    }

    /// Returns the stages that the store needs, or those that create it; none if it has the model already. Reads only.
    ///
    /// - Throws: `MigrationError`.
    package func plan() throws -> StagedMigrationPlan { try preview().plan }

    /// Returns the stages that the store needs, or those that create it, and the error that they end with until you confirm
    /// their drops.
    ///
    /// Reads only. Takes up to 2 seconds for each name, and 6 in all.
    ///
    /// - Throws: `MigrationError`, also if a stage cannot be inferred.
    package func preview() throws -> (plan: StagedMigrationPlan, refusal: MigrationError?) {
        try MigrationError.wrapping {
            guard try record() != nil else { return (StagedMigrationPlan(try creation()), nil) }
            guard let stored = try storedModel() else { return (StagedMigrationPlan(), nil) }
            let planned = try plannedStages(from: stored)
            if planned.refusals.contains(where: { !$0.isLoss }) { try planned.check() }
            // The tables of later stages do not exist yet.
            if let planned = planned.all.first {
                try ForeignDeletions.check(
                    planned.plan, from: planned.sourceModel, planned.aftermath, on: connection)
            }
            return (StagedMigrationPlan(planned.all), planned.refusal)
        }
    }

    /// Returns the error that the stages end with until you confirm their drops; nil if no confirmation is missing.
    ///
    /// Reads only. Takes up to 2 seconds for each name, and 6 in all.
    ///
    /// - Throws: `MigrationError`.
    package func refusal() throws -> MigrationError? {
        try MigrationError.wrapping {
            guard try record() != nil else { return nil }
            return try storedModel().flatMap { try plannedStages(from: $0).refusal }
        }
    }

    /// Returns the model that the store has; nil if that is the target.
    ///
    /// - Throws: `MigrationError` with `notAStore`, `missingGrant` or `rowSecurity`; `PostgresError`.
    func storedModel() throws -> ManagedObjectModel? {
        let record = try StoreRecord.migratable(in: schemaName, on: connection)
        if target.hasChecksum(record.checksum) { return nil }
        let model = try record.migratableModel()
        try MigratingRole(connection: connection, schemaName: schemaName).check()
        return model
    }

    /// Returns the stages from the store's model to the target.
    ///
    /// - Throws: `MigrationError` of the path, and with `newerStore` if the store would go back to a model that it had.
    func plannedStages(from stored: ManagedObjectModel) throws -> MigrationPath.PlannedStages {
        let isKept = path == nil && options.isOpening
        var path = try path ?? MigrationPath(from: stored, to: target, label: "")
        if !options.isOpening {
            path = try path.reversed(from: stored, to: target) ?? path
            try checkWayBack(from: stored)
        }
        let planned = try path.plannedStages(
            from: stored, to: target, schemaName: schemaName, confirmedDrops: options.confirmedDrops,
            shouldDefer: options.shouldDeferLightweightMigration,
            asking: DropCheck(connection, stored, in: schemaName),
            added: isKept ? MigrationLedger.additions(in: schemaName, on: connection) : [])
        if options.isOpening { try checkWayBack(from: stored) }
        return planned
    }

    /// Another program migrated the store from this model to a later one. An older program must not revert that, unless
    /// an operator decides it. A store that an operator took back goes forward again by the command.
    private func checkWayBack(from stored: ManagedObjectModel) throws {
        if options.goesBack { return }
        let places = places(of: ModelChecksums(stored), and: ModelChecksums(target))
        let isOlder: Bool
        if let start = places.0, let end = places.1, end < start {
            isOlder = true
        } else {
            isOlder = try MigrationLedger.hasLeft(
                target, forward: !options.isOpening, in: schemaName, on: connection)
        }
        if isOlder { throw MigrationError.wouldGoBack(in: schemaName) }
    }

    /// Returns the places of two versions in the path, or in the order.
    private func places(of stored: ModelChecksums, and target: ModelChecksums) -> (Int?, Int?) {
        if let path { return (path.place(of: stored), path.place(of: target)) }
        let order = order.map(ModelChecksums.init)
        return (order.firstIndex { $0.isVersion(stored) }, order.firstIndex { $0.isVersion(target) })
    }
}

extension StoreMigration {
    /// The name of a stage in the ledger and in comments of its statements.
    func label(of planned: MigrationPath.PlannedStage) -> String {
        planned.stage.label.isEmpty ? target.versionIdentifier ?? "" : planned.stage.label
    }
}
