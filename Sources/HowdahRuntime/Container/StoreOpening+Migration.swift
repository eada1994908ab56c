import HowdahMigration
import HowdahModel
import HowdahSchema
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
            if try isToStay(record, connection) { return }
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
            // The stages do not lead from it, and need not.
            let isElsewhere = error.code == .newerStore || error.code == .unlistedVersion
            if isElsewhere, options.accepting == .compatible, obstacles(record).isEmpty { return }
            throw StoreError(
                .migrationFailed, error.message, underlying: error.underlying, cause: error.cause)
        }
    }

    /// Whether the store keeps its model although it is not the program's: who accepts others can use it as it is, or
    /// has had it once, and would undo what was done since.
    private func isToStay(_ record: Record, _ connection: Connection) throws -> Bool {
        guard options.accepting == .compatible else { return false }
        if options.stagedMigrationManager == nil, obstacles(record).isEmpty { return true }
        return try MigrationLedger.hasLeft(
            model.versionChecksum, in: options.schemaName, on: connection)
    }

    /// Why the program cannot work with the model of a store; empty where it can.
    private func obstacles(_ record: Record) -> [String] {
        guard let stored = try? ManagedObjectModel(canonicalJSON: record.model) else {
            return ["the model that the store was made with cannot be read"]
        }
        return StoreCompatibility(of: model, with: stored, schemaName: options.schemaName).obstacles
    }

    /// - Throws: `StoreError.incompatibleModel` naming everything that stands in the way.
    func checkCompatibility(_ record: Record) throws(StoreError) {
        let obstacles = obstacles(record)
        if obstacles.isEmpty { return }
        throw StoreError(
            .incompatibleModel,
            "The store in schema '\(options.schemaName)' has the model \(record.checksum), with which the program's "
                + "(\(model.versionChecksum)) cannot work: \(ModelWatch.list(obstacles)); open it with the store's model, or "
                + "migrate it: with howdah migrate apply.")
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
        migration.isOpening = true
        migration.shouldDeferLightweightMigration = options.shouldDeferLightweightMigration
        return migration
    }
}
