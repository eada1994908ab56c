package import HowdahModel
internal import HowdahSchema
package import PQClient

/// Takes a store to a model, in one transaction: either everything is done and recorded, or the store is as it was. With
/// deferral, that holds for all that the model cannot do without.
package struct MigrationRunner {
    private static let aftermath = "The store is unchanged"

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

    /// The steps that the store needs; nil if it has the model already. Reads only.
    ///
    /// - Throws: `MigrationError`.
    package func plan() throws -> MigrationPlan? {
        try preview().plan
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
            if let leap = try next() { try work.finishEverything(before: leap.plan) }
            let outcome: MigrationOutcome = try LockRetry(
                budget: budget, timeout: options.lockTimeout, aftermath: Self.aftermath,
                canceller: connection.canceller, observer: observer
            ).run { patience in
                guard let (source, whole, empty) = try next() else { return .upToDate }
                let givenUp = try work.givenUp(by: whole)
                let plan = givenUp.plan
                try StageTransaction(
                    connection: connection, source: source, target: target, plan: plan,
                    label: target.versionIdentifier ?? "", handlers: StageHandlers(),
                    lockTimeout: options.lockTimeout, aftermath: Self.aftermath,
                    position: StagePosition(label: target.versionIdentifier ?? ""), observer: observer,
                    empty: empty, givenUp: givenUp
                ).run(waiting: patience)
                return .migrated(plan)
            }
            try work.finishOnline()
            return outcome
        }
    }

    /// The steps that the store needs, and the error that they end with until you confirm their drops.
    ///
    /// Reads only. Takes up to 2 seconds for each name, and 6 in all.
    ///
    /// - Throws: `MigrationError`, also if the steps cannot be inferred.
    package func preview() throws -> (plan: MigrationPlan?, refusal: MigrationError?) {
        try MigrationError.wrapping {
            guard let (source, drops) = try drops() else { return (nil, nil) }
            let refusal = drops.refusals.isEmpty ? nil : MigrationError(refusals: drops.refusals)
            if let refusal, drops.refusals.contains(where: { !$0.isLoss }) { throw refusal }
            let plan = try plan(from: source, drops)
            try ForeignDeletions.check(plan, from: source, Self.aftermath, on: connection)
            return (plan, refusal)
        }
    }

    /// The error that the steps end with until you confirm their drops; nil if no confirmation is missing.
    ///
    /// Reads only. Takes up to 2 seconds for each name, and 6 in all.
    ///
    /// - Throws: `MigrationError`.
    package func refusal() throws -> MigrationError? {
        try MigrationError.wrapping {
            guard let refusals = try drops()?.1.refusals, !refusals.isEmpty else { return nil }
            return MigrationError(refusals: refusals)
        }
    }

    /// A store that had the model before was migrated since: a program that is older than others must not undo that, but for an
    /// operator who asks for it.
    private func checkWayBack() throws {
        if options.goesBack { return }
        // Who took a store back on purpose, goes on by the command, too.
        let hasLeft =
            try MigrationLedger.hasLeft(
                target, forward: !options.isOpening, in: schemaName, on: connection)
        if hasLeft { throw MigrationError.wouldGoBack(in: schemaName) }
    }

    private typealias Leap = (source: ManagedObjectModel, plan: MigrationPlan, empty: [ModelLoss])

    private func next() throws -> Leap? {
        guard let (source, drops) = try drops() else { return nil }
        if !drops.refusals.isEmpty { throw MigrationError(refusals: drops.refusals) }
        return (source, try plan(from: source, drops), drops.empty)
    }

    private func plan(from source: ManagedObjectModel, _ drops: StageDrops) throws -> MigrationPlan {
        try MigrationPlan(
            from: source, to: target, schemaName: schemaName, confirmedDrops: drops.confirmed,
            shouldDefer: options.shouldDeferLightweightMigration)
    }

    private func drops() throws -> (source: ManagedObjectModel, StageDrops)? {
        let record = try StoreRecord.migratable(in: schemaName, on: connection)
        if target.hasChecksum(record.checksum) { return nil }
        let source = try record.migratableModel()
        try MigratingRole(connection: connection, schemaName: schemaName).check()
        try checkWayBack()
        return (
            source,
            try StageDrops(
                ModelLoss.all(from: source, to: target),
                inferred: ModelDifference(from: source, to: target, confirmedDrops: options.confirmedDrops),
                confirmed: options.confirmedDrops, DropCheck(connection, source, in: schemaName),
                added: options.isOpening ? MigrationLedger.additions(in: schemaName, on: connection) : [])
        )
    }
}

/// What a migration did.
public enum MigrationOutcome: Sendable, Hashable {
    /// The store had the model already.
    case upToDate
    /// All steps were done.
    case migrated(MigrationPlan)
}
