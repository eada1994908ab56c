import HowdahMigration
import HowdahModel
import PQClient

extension StoreOpening {
    /// Migrates the store in the schema where it was made with another model and the options say how.
    ///
    /// - Throws: `StoreError.migrationFailed`; the store is then as it was, or has the version before the stage that failed.
    func migrate(_ connection: Connection) throws {
        guard options.shouldMigrateStoreAutomatically || options.stagedMigrationManager != nil else { return }
        let (found, rows) = try storeRecord(connection)
        guard let record = found, record.checksum != model.versionChecksum else { return }
        do {
            if let staged = try stagedRunner(connection, record, rows) {
                try staged.apply()
            } else {
                _ = try MigrationRunner(
                    connection, to: model, schemaName: options.schemaName, options: migrationOptions
                ).apply()
            }
        } catch let error as MigrationError {
            throw StoreError(
                .migrationFailed, error.message, underlying: error.underlying, cause: error.cause)
        }
    }

    /// What a staged migration would do; nothing is changed.
    func plannedMigration(_ connection: Connection) throws -> StagedMigrationPlan {
        let (found, rows) = try storeRecord(connection)
        guard let record = found, record.checksum != model.versionChecksum else {
            return StagedMigrationPlan()
        }
        do {
            return try stagedRunner(connection, record, rows)?.plan() ?? StagedMigrationPlan()
        } catch let error as MigrationError {
            throw StoreError(
                .migrationFailed, error.message, underlying: error.underlying, cause: error.cause)
        }
    }

    private func stagedRunner(
        _ connection: Connection, _ record: Record, _ rows: [String: Int]
    ) throws -> StagedMigrationRunner? {
        guard let manager = options.stagedMigrationManager else { return nil }
        let contexts = StageContexts(
            identifier: record.identifier, options: options, rows: rows, pool: pool, workers: workers,
            log: log)
        return StagedMigrationRunner(
            connection, try manager.path(contexts), to: model, schemaName: options.schemaName,
            options: migrationOptions)
    }

    private var migrationOptions: MigrationOptions {
        var migration = MigrationOptions()
        migration.confirmedDrops = options.confirmedDrops
        return migration
    }
}
