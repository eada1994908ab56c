internal import HowdahSchema
package import PQClient

/// The steps that deferred migrations have left, which run one at a time. After an interruption, the next run continues.
///
/// The pipeline runs them before and after the transactions of a migration, and `howdah migrate finish` at any time.
package struct DeferredWork {
    private let connection: Connection
    private let schemaName: String
    private let options: MigrationOptions
    private let work: PendingWork
    /// Is told what happens, on the thread that works.
    package var observer: MigrationObserver?

    /// Creates the work of a store, on a session that nothing else uses meanwhile.
    package init(
        _ connection: Connection, schemaName: String = "public",
        options: MigrationOptions = MigrationOptions()
    ) {
        self.connection = connection
        self.schemaName = schemaName
        self.options = options
        work = PendingWork(connection, in: schemaName)
    }

    /// Does everything that is pending, under the migration's lock.
    ///
    /// Blocks. What rows do not allow, or what others made on the tables, is left, and the rest done.
    /// - Throws: `MigrationError`: `unfinished` naming objects by their ids, or what is in the way, `busy`, `lockTimeout`, `database`.
    package func finish() throws {
        try withLock { try finishEverything() }
    }

    /// Does the step whose turn it is, under the migration's lock, and says whether there are more.
    ///
    /// - Throws: as ``finish()``; the step's turn comes again after the others.
    package func finishNext() throws -> Bool {
        try withLock {
            guard let step = try work.steps().first else { return false }
            try finish([step])
            return try !work.steps().isEmpty
        }
    }

    private func withLock<T>(_ body: () throws -> T) throws -> T {
        // A later version may have changed the store since the steps were left.
        _ = try MigrationError.wrapping { try StoreRecord(in: schemaName, on: connection, for: .writing) }
        return try MigrationError.wrapping {
            let lock = MigrationLock(connection: connection, schemaName: schemaName)
            try lock.take(within: options.lockBudget, observer)
            defer { lock.release() }
            return try body()
        }
    }

    /// Everything, if the lock is held already.
    private func finishEverything() throws { try finish(work.steps()) }

    /// What is said if another migration cannot begin.
    static let remedy =
        "The new migration has not begun, because steps of an earlier migration must finish first. Steps that finished "
        + "are kept. Correct the cause of each failure, and run the migration again."

    /// What is done before another migration begins: everything but what its plan gives up. If the plan gives something up,
    /// that may be in the way of the rest, which is then left to the plan's transaction.
    func finishEverything(before plan: MigrationPlan) throws {
        let givenUp = try givenUp(by: plan)
        do {
            try finish(givenUp.leftovers, remedy: Self.remedy)
        } catch let error as MigrationError where error.code == .unfinished && !givenUp.steps.isEmpty {
        }
    }

    /// What is still pending, as the plan gives it up.
    func givenUp(by plan: MigrationPlan) throws -> GivenUpWork { GivenUpWork(try work.steps(), by: plan) }

    /// What the new model relies on, where the lock is held already.
    func finishOnline() throws { try finish(work.steps().filter { $0.step.execution == .online }) }

    private func finish(_ steps: [PendingMigrationStep], remedy: String? = nil) throws {
        if steps.isEmpty { return }
        try MigratingRole(connection: connection, schemaName: schemaName).check()
        var failures: [String] = []
        observer?(.pendingBegan(count: steps.count))
        for (place, step) in steps.enumerated() {
            try Task.checkCancellation()
            _ = try StoreRecord(in: schemaName, on: connection, for: .writing)
            observer?(.stepBegan(number: place + 1, count: steps.count, step.step))
            do {
                try DeferredStep(
                    connection: connection, schemaName: schemaName, options: options, work: work,
                    pending: step,
                    comment: StagePosition.comment(
                        pending: place + 1, of: steps.count, step.step.execution), observer: observer
                ).run()
            } catch let error as MigrationError where error.code == .unfitData || error.code == .unfinished {
                failures.append(error.message)
            }
        }
        guard !failures.isEmpty else { return }
        throw MigrationError(
            .unfinished,
            failures.joined(separator: "\n") + "\n"
                + (remedy
                    ?? "The store has the new model and can be used, but these steps are left. Correct the cause of each failure, and run howdah migrate finish.")
        )
    }
}
