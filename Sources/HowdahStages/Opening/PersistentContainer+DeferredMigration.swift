import HowdahMigration
import HowdahModel
public import HowdahRuntime
public import HowdahSchema
import PQClient

extension PersistentContainer {
    /// The remaining steps of a deferred migration, in their order; empty if there are none. At most two
    /// round trips.
    ///
    /// - Throws: `StoreError` with `migrationFailed` if the query fails.
    public var pendingMigrationSteps: [PendingMigrationStep] {
        get async throws {
            try await migrating { connection, store in
                try PendingWork(connection, in: store.layouts.schema.schemaName).steps()
            }
        }
    }

    /// Runs all remaining steps of a deferred migration, while the store is in use.
    ///
    /// The call uses one of the container's threads and connections until it ends. Each step is recorded when
    /// it ends. If the call is interrupted or cancelled, the next one continues with the rest. Only one
    /// program at a time works on the remaining steps. Indexes wait for transactions that write to their
    /// table, so the calling task must have none open.
    ///
    /// Source: Core Data's `finishDeferredLightweightMigration()`.
    ///
    /// - Throws: `StoreError` with `migrationFailed` if rows prevent a step; all others are done then. The
    ///   same code if another program works on the store, or if a table could not be locked in time.
    ///   `CancellationError` if the task is cancelled, which ends the build of an index, too.
    nonisolated(nonsending)
        public func finishDeferredLightweightMigration() async throws
    {
        try await finishing { try $0.finish() }
    }

    /// Runs one remaining step of a deferred migration.
    ///
    /// Source: Core Data's `finishDeferredLightweightMigrationTask()`.
    ///
    /// - Returns: True if more steps remain.
    /// - Throws: The errors of ``finishDeferredLightweightMigration()``. If rows prevent a step, it is the
    ///   last one from then on.
    nonisolated(nonsending)
        public func finishDeferredLightweightMigrationTask() async throws -> Bool
    {
        try await finishing { try $0.finishNext() }
    }

    private func finishing<T: Sendable>(
        _ body: @Sendable @escaping (DeferredWork) throws -> T
    ) async throws -> T {
        let options = (migrator as? StageMigrator ?? StageMigrator()).options
        return try await migrating { connection, store in
            var work = DeferredWork(
                connection, schemaName: store.layouts.schema.schemaName, options: options)
            work.observer = StageMigrator.waits(loggedBy: store.log.logger)
            return try store.log.observingMigration(
                .deferredSteps, code: { ($0 as? MigrationError)?.code.description }
            ) { try body(work) }
        }
    }

    private func migrating<T: Sendable>(
        _ body: @Sendable @escaping (Connection, Store) throws -> T
    ) async throws -> T {
        try await perform { context in
            let store = context.store
            context.unit?.exemptFromStatementTimeout()
            do {
                // The unit's own, so that a cancelled task ends the statement that runs.
                return try context.withConnection { connection in
                    try connection.about(StatementSubject(.migrate)) { try body(connection, store) }
                }
            } catch let error as MigrationError {
                throw StoreError(
                    .migrationFailed, error.message, databaseError: error.databaseError,
                    underlyingError: error.underlyingError)
            } catch let error as PostgresError {
                throw StoreError(
                    .migrationFailed,
                    "The database operation failed. Steps that did not finish are still pending. Correct the cause that the "
                        + "server reports, and try again.", databaseError: error)
            }
        }
    }
}
