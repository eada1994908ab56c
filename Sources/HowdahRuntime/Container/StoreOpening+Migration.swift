import HowdahMigration
import HowdahModel
import Logging
import PQClient

extension StoreOpening {
    /// Migrates the store in the schema where it was made with another model and the options say how.
    ///
    /// - Throws: `StoreError.migrationFailed`; the store is then as it was, or has the version before the stage that failed.
    func migrate(_ connection: Connection) throws {
        guard options.shouldMigrateStoreAutomatically || options.stagedMigrationManager != nil else { return }
        let (found, rows) = try storeRecord(connection)
        guard let record = found else { return }
        let isCurrent = record.checksum == model.versionChecksum
        if isCurrent, try !pendingSteps(connection, rows).contains(where: { $0.step.execution == .online }) {
            return
        }
        do {
            if let staged = try stagedRunner(connection, record, rows) {
                try staged.apply()
            } else {
                _ = try MigrationRunner(
                    connection, to: model, schemaName: options.schemaName, options: migrationOptions
                ).apply()
            }
        } catch let error as MigrationError where error.code == .unfinished {
            log.logger.warning("\(error.message)")
        } catch let error as MigrationError where isCurrent && error.code == .busy {
            // Somebody does what is pending; whether the store can do without is seen next.
            log.logger.info("\(error.message)")
        } catch let error as MigrationError {
            throw StoreError(
                .migrationFailed, error.message, underlying: error.underlying, cause: error.cause)
        }
    }

    /// Whether a store has everything that the model relies on, so that it can be opened.
    ///
    /// - Throws: `StoreError.migrationFailed` where rows have still to get values that the model requires.
    func checkPendingWork(_ connection: Connection, _ rows: [String: Int]) throws {
        guard try pendingSteps(connection, rows).contains(where: \.isAwaited) else { return }
        throw StoreError(
            .migrationFailed,
            "A migration of the store in schema '\(options.schemaName)' has not given all objects the values that the model "
                + "requires; wait for the program that is at it, or, where it was cut off, finish it: with howdah migrate finish, "
                + "or with StoreOptions.shouldMigrateStoreAutomatically.")
    }

    private func pendingSteps(
        _ connection: Connection, _ rows: [String: Int]
    ) throws -> [PendingMigrationStep] {
        rows[PendingWork.name] == nil ? [] : try PendingWork(connection, in: options.schemaName).steps()
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
        migration.shouldDeferLightweightMigration = options.shouldDeferLightweightMigration
        return migration
    }
}
