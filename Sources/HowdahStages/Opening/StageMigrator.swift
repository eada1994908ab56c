import HowdahMigration
import HowdahModel
import HowdahRuntime
import HowdahSchema
import Logging
import PQClient

/// Migrates a store while it is opened, by stages or by inference.
struct StageMigrator: StoreMigrator {
    /// The stages; nil for inference.
    var manager: StagedMigrationManager?
    /// A Boolean value that indicates whether a store is migrated by inference if the
    /// options list none.
    var isAutomatic = false
    /// A Boolean value that indicates whether only necessary steps run at once.
    var isDeferring = false
    /// The confirmed drops in addition to those of the stages.
    var confirmedDrops: Set<String> = []
    /// The time that one attempt waits for a lock on a table.
    var lockTimeout = MigrationOptions().lockTimeout
    /// The time that all attempts of a stage may take.
    var lockBudget = MigrationOptions().lockBudget

    func migrate(_ opening: StoreOpening, on connection: Connection) throws {
        for (name, time) in [
            ("migrationLockTimeout", lockTimeout), ("migrationLockBudget", lockBudget),
        ] where time <= .zero {
            throw StoreError(.invalidOptions, "\(name) is \(time). Set it to a positive duration.")
        }
        guard isAutomatic || manager != nil else { return }
        let (found, rows) = try opening.storeRecord(connection)
        guard let record = found else { return }
        let isCurrent = opening.model.hasChecksum(record.checksum)
        if isCurrent,
            try !opening.pendingSteps(connection, rows).contains(where: { $0.step.execution == .online })
        {
            return
        }
        do {
            if try isToStay(record, opening, connection) { return }
            let migration = try migration(opening, record, rows, connection)
            _ = try opening.log.observingMigration(
                .stages, stages: \.stages.count, code: { ($0 as? MigrationError)?.code.description }
            ) { try connection.about(StatementSubject(.migrate)) { try migration.apply() } }
        } catch let error as MigrationError where error.code == .unfinished {
            opening.log.logger.warning("\(error.message)")
        } catch let error as MigrationError where isCurrent && error.code == .busy {
            // Another program does what is pending; whether the store can do without is seen next.
            opening.log.logger.info("\(error.message)")
        } catch let error as MigrationError {
            // The stages do not lead from it, and need not.
            let isElsewhere = error.code == .newerStore || error.code == .unlistedVersion
            if isElsewhere, opening.options.accepting == .compatible, opening.obstacles(record).isEmpty {
                return
            }
            let wasEnded = error.databaseError?.sqlState == SQLState.adminShutdown
            throw StoreError(
                .migrationFailed,
                wasEnded
                    ? (error.message.hasSuffix(".") ? error.message : "\(error.message).")
                        + " Another program or an administrator ended the database session of the migration. "
                        + "Check that the store still exists, and open it again to continue the migration."
                    : error.message,
                databaseError: error.databaseError, underlyingError: error.underlyingError)
        }
    }

    /// Returns a Boolean value that indicates whether the store keeps its model although it is not the
    /// program's.
    ///
    /// It does if the program accepts its model. It also does if the store had the program's model before: a
    /// migration would revert the later one.
    private func isToStay(
        _ record: StoreRecord, _ opening: StoreOpening, _ connection: Connection
    ) throws -> Bool {
        guard opening.options.accepting == .compatible else { return false }
        if manager == nil, opening.obstacles(record).isEmpty { return true }
        return try MigrationLedger.hasLeft(
            opening.model, in: opening.options.schemaName, on: connection)
    }

    /// Returns the plan of the stages or of the inferred migration, and changes nothing.
    func plan(_ opening: StoreOpening, on connection: Connection) throws -> StagedMigrationPlan {
        let (found, rows) = try opening.storeRecord(connection)
        guard let record = found, !opening.model.hasChecksum(record.checksum) else {
            return StagedMigrationPlan()
        }
        do {
            return try migration(opening, record, rows, connection).plan()
        } catch let error as MigrationError {
            throw StoreError(
                .migrationFailed, error.message, databaseError: error.databaseError,
                underlyingError: error.underlyingError)
        }
    }

    private func migration(
        _ opening: StoreOpening, _ record: StoreRecord, _ rows: [String: Int],
        _ connection: Connection
    ) throws -> StoreMigration {
        var migration = StoreMigration(
            connection, try manager?.path(StageContexts(record, rows, of: opening)), to: opening.model,
            schemaName: opening.options.schemaName, options: options)
        migration.observer = Self.waits(loggedBy: opening.log.logger)
        return migration
    }

    /// Logs each session once that holds a lock which the migration waits for.
    static func waits(loggedBy logger: Logger) -> MigrationObserver {
        { event in
            switch event {
            case .waiting(let holder, let left):
                logger.notice(
                    "The migration waits for another program that works on the store\(holder); \(left.inWords) left."
                )
            case .lockMissed(let reason, let left):
                logger.notice("The migration waits: \(reason); \(left.inWords) left.")
            default: break
            }
        }
    }

    var options: MigrationOptions {
        var options = MigrationOptions()
        options.lockTimeout = lockTimeout
        options.lockBudget = lockBudget
        options.confirmedDrops = confirmedDrops
        options.isOpening = true
        options.shouldDeferLightweightMigration = isDeferring
        return options
    }
}

extension StageContexts {
    /// Creates the contexts of a store that is being opened.
    init(_ record: StoreRecord, _ rows: [String: Int], of opening: StoreOpening) {
        self.init(
            identifier: record.identifier, options: opening.options, rows: rows, pool: opening.pool,
            workers: opening.workers, log: opening.log)
    }
}
