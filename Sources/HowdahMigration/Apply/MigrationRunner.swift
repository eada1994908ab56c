package import HowdahModel
package import PQClient

/// Takes a store to a model, in one transaction: either everything is done and recorded, or the store is as it was. With
/// deferral, that holds for all that the model cannot do without.
package struct MigrationRunner {
    private static let aftermath = "The store is as it was"

    private let connection: Connection
    private let target: ManagedObjectModel
    private let schemaName: String
    private let options: MigrationOptions
    /// Is told what happens, on the thread that migrates.
    package var observer: MigrationObserver?

    /// A runner on a session of its own, which nothing else uses meanwhile.
    package init(
        _ connection: Connection, to target: ManagedObjectModel, schemaName: String = "public",
        options: MigrationOptions = MigrationOptions()
    ) {
        self.connection = connection
        self.target = target
        self.schemaName = schemaName
        self.options = options
    }

    /// The steps that the store needs; nil where it has the model already. Reads only.
    ///
    /// - Throws: `MigrationError`.
    package func plan() throws -> MigrationPlan? {
        try MigrationError.wrapping { try next()?.plan }
    }

    /// Takes the migration's lock, infers the steps from what the store says of itself by then, and does them.
    ///
    /// Blocks. The tables are locked first, in the order of their names; where that takes longer than
    /// ``MigrationOptions/lockTimeout``, all is undone and tried again until ``MigrationOptions/lockBudget`` is spent. What an
    /// earlier migration left is finished first; what this one does online is done, too.
    ///
    /// - Throws: `MigrationError`; the store is then as it was, but with `unfinished`, and where the error comes from work
    ///   online, which the next run goes on with.
    package func apply() throws -> MigrationOutcome {
        try MigrationError.wrapping {
            let end = ContinuousClock.now.advanced(by: options.lockBudget)
            let lock = MigrationLock(connection: connection, schemaName: schemaName)
            try lock.take(within: options.lockBudget, observer)
            defer { lock.release() }
            let budget = ContinuousClock.now.duration(to: end)
            var work = DeferredMigrationRunner(connection, schemaName: schemaName, options: options)
            work.observer = observer
            if try next() != nil { try work.finishEverything(beforeAnother: true) }
            let outcome: MigrationOutcome = try LockRetry(
                budget: budget, timeout: options.lockTimeout, aftermath: Self.aftermath,
                canceller: connection.canceller, observer: observer
            ).run { patience in
                guard let (source, plan) = try next() else { return .upToDate }
                try StageTransaction(
                    connection: connection, source: source, target: target, plan: plan,
                    label: target.versionIdentifier ?? "", handlers: StageHandlers(),
                    lockTimeout: options.lockTimeout, aftermath: Self.aftermath,
                    position: StagePosition(label: target.versionIdentifier ?? ""), observer: observer
                ).run(waiting: patience)
                return .migrated(plan)
            }
            try work.finishOnline()
            return outcome
        }
    }

    /// A store that had the model before was migrated since: a program that is older than others must not undo that.
    private func checkWayBack(from source: ManagedObjectModel) throws {
        guard try MigrationLedger.hasLeft(target.versionChecksum, in: schemaName, on: connection)
        else { return }
        let losses = ModelDifference.losses(
            from: source, to: target, confirmedDrops: options.confirmedDrops)
        if losses.isEmpty { return }
        throw MigrationError(
            .newerStore,
            "The store in schema '\(schemaName)' had this model before, and was migrated to another since. Going back would "
                + "lose the values of \(losses.joined(separator: ", ")): use the program that migrated it, accept compatible "
                + "stores (StoreOptions.accepting), or confirm each of them (confirmedDrops, --confirm-drop)."
        )
    }

    private func next() throws -> (source: ManagedObjectModel, plan: MigrationPlan)? {
        let record = try StoreRecord.migratable(in: schemaName, on: connection)
        if record.checksum == target.versionChecksum { return nil }
        let source = try record.migratableModel()
        try checkWayBack(from: source)
        let plan = try MigrationPlan(
            from: source, to: target, schemaName: schemaName, confirmedDrops: options.confirmedDrops,
            shouldDefer: options.shouldDeferLightweightMigration)
        return (source, plan)
    }
}
