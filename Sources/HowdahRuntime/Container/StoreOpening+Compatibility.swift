import HowdahModel
package import HowdahSchema
package import PQClient

extension StoreOpening {
    /// Returns the reasons why the program cannot use the model of a store; empty if it can.
    package func obstacles(_ record: StoreRecord) -> [String] {
        guard let stored = try? ManagedObjectModel(canonicalJSON: record.model) else {
            return ["the model in the store's record cannot be read"]
        }
        return StoreCompatibility(of: model, with: stored, schemaName: options.schemaName).obstacles
    }

    /// - Throws: `StoreError.incompatibleModel` naming all obstacles.
    func checkCompatibility(_ record: StoreRecord) throws(StoreError) {
        let obstacles = obstacles(record)
        if obstacles.isEmpty { return }
        throw StoreError(
            .incompatibleModel,
            "The store in schema '\(options.schemaName)' has the model \(record.checksum), which is not compatible "
                + "with the program's model (\(model.versionChecksum)): \(ModelWatch.list(obstacles)). If the "
                + "store is newer, deploy the program that migrated it. If it is older, migrate it with howdah migrate apply."
        )
    }

    /// Checks that a store can be opened, because it has everything that the model requires.
    ///
    /// - Throws: `StoreError.migrationFailed` if rows do not have values yet that the model requires.
    func checkPendingWork(_ connection: Connection, _ rows: [String: Int]) throws {
        guard try pendingSteps(connection, rows).contains(where: \.isAwaited) else { return }
        throw StoreError(
            .migrationFailed,
            "A migration of the store in schema '\(options.schemaName)' has not set all values that the "
                + "model requires. Wait for the program that migrates the store. Run howdah migrate finish "
                + "if that program was interrupted, or set StoreOptions.shouldMigrateStoreAutomatically."
        )
    }

    /// Returns the remaining steps of a deferred migration.
    package func pendingSteps(
        _ connection: Connection, _ rows: [String: Int]
    ) throws -> [PendingMigrationStep] {
        rows[PendingWork.name] == nil ? [] : try PendingWork(connection, in: options.schemaName).steps()
    }
}
