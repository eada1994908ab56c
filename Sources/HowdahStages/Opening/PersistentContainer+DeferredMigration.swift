import HowdahMigration
import HowdahModel
public import HowdahRuntime
public import HowdahSchema
import PQClient

extension PersistentContainer {
    /// What a deferred migration has left in the store, in the order in which it is to be done; empty where nothing is.
    /// Two round trips at most.
    ///
    /// - Throws: `StoreError` with `migrationFailed` where the store cannot be asked.
    public var pendingMigrationSteps: [PendingMigrationStep] {
        get async throws {
            try await migrating { connection, store in
                try PendingWork(connection, in: store.layouts.schema.schemaName).steps()
            }
        }
    }

    /// Does everything that a deferred migration has left, while the store is in use.
    ///
    /// Takes one of the container's threads and connections for as long as it lasts. Each step is recorded as it ends: what
    /// is cut off, or cancelled, goes on with the next call. Only one program works on the pending steps at a time.
    /// Indexes wait for transactions that write to their table, so none may be open in the calling task.
    ///
    /// Source: Core Data's `finishDeferredLightweightMigration()`.
    ///
    /// - Throws: `StoreError` with `migrationFailed`: rows do not allow some of it, and the rest was done; another program
    ///   works on the store; a table could not be locked in time. `CancellationError` if the task is cancelled, which ends the
    ///   build of an index, too.
    nonisolated(nonsending)
        public func finishDeferredLightweightMigration() async throws
    {
        try await migrating {
            try DeferredMigrationRunner($0, schemaName: $1.layouts.schema.schemaName).finish()
        }
    }

    /// Does one step of what a deferred migration has left, and says whether there are more.
    ///
    /// Source: Core Data's `finishDeferredLightweightMigrationTask()`.
    ///
    /// - Throws: as ``finishDeferredLightweightMigration()``; a step that rows do not allow comes last from then on.
    nonisolated(nonsending)
        public func finishDeferredLightweightMigrationTask() async throws -> Bool
    {
        try await migrating {
            try DeferredMigrationRunner($0, schemaName: $1.layouts.schema.schemaName).finishNext()
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
                return try context.withConnection { try body($0, store) }
            } catch let error as MigrationError {
                throw StoreError(
                    .migrationFailed, error.message, underlying: error.underlying, cause: error.cause)
            } catch let error as PostgresError {
                throw StoreError(.migrationFailed, "The database refused", underlying: error)
            }
        }
    }
}
