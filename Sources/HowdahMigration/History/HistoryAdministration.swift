internal import Foundation
internal import HowdahModel
internal import HowdahSchema
package import PQClient

/// The work of an operator on the history of a store.
///
/// Each call is one transaction. All except ``status()``, ``list(limit:of:)``, ``keep()``, ``purge()`` and ``forget(_:)`` need the
/// store's owner. Everything works behind a pooler.
package struct HistoryAdministration {
    let connection: Connection
    let schemaName: String
    /// The time that all tries to lock the store and its tables may take.
    private let lockBudget: Duration
    /// The time that one try waits for the lock of a table, while readers and writers queue after it.
    private let lockTimeout: Duration

    package init(
        _ connection: Connection, schemaName: String = "public", lockBudget: Duration = .seconds(60),
        lockTimeout: Duration = .seconds(2)
    ) {
        self.connection = connection
        self.schemaName = schemaName
        self.lockBudget = lockBudget
        self.lockTimeout = lockTimeout
    }

    var tables: HistoryTables { HistoryTables(in: schemaName) }

    /// Creates the tables of the history. Programs that open the store from now on write it.
    ///
    /// It does not count yet: programs that have the store open do not write it. After all of them were restarted, call
    /// ``start()``.
    ///
    /// - Returns: The sessions on the database that can be seen. Programs behind a pooler, or without a connection, are
    ///   not among them. Nil if the store has history already; nothing was changed then.
    /// - Throws: `MigrationError` with `notAStore`, `missingGrant`, `busy`, `lockTimeout` or `database`.
    package func enable() throws -> [HistorySession]? {
        try changing { schema in
            if try lostParts() != nil { return nil }
            let record = try StoreRecord(in: schemaName, on: connection, for: .writing)
            guard record?.format.isOverExistingTables == false else {
                throw MigrationError(
                    .notAStore,
                    "The tables in schema '\(schemaName)' belong to another program, and Howdah writes no history of such "
                        + "tables. Use a log of that program.")
            }
            try HistoryInstallation(of: schema, on: connection).make(isStarted: false)
            return try HistorySession.all(on: connection)
        }
    }

    /// Creates missing functions and indexes of the history, and replaces functions that are not as this version creates
    /// them.
    ///
    /// - Returns: The names of what was created or replaced.
    /// - Throws: `MigrationError` with `noHistory`, and as ``enable()``.
    package func restoreFunctions() throws -> [String] {
        try changing { schema in
            _ = try record(checked: false)
            return try HistoryInstallation(of: schema, on: connection).restoreFunctions()
        }
    }

    /// Lets the history count from now, and refuses statements that do not write it until ``trust()``.
    ///
    /// All tables of objects are locked at one time, so that each change is either before the start or checked.
    ///
    /// - Returns: False if the history had been started before; nothing was changed then.
    /// - Throws: `MigrationError` with `noHistory` and as ``enable()``.
    package func start() throws -> Bool {
        try changing { schema in
            guard try record().phase == .enabled else { return false }
            for table in schema.tables.map(\.name).sorted() {
                try run(
                    "LOCK TABLE \(SQLIdentifier.quoted(schemaName, table)) IN SHARE ROW EXCLUSIVE MODE")
            }
            // After the locks: what the snapshot sees may be incomplete, and everything later is not.
            try run(
                "UPDATE \(tables.state) SET \"is_guarded\" = TRUE, \"deleted\" = pg_catalog.pg_current_snapshot()"
            )
            // The next run of the server takes tokens back to the last heartbeat, which must not be earlier than that.
            try connection.executeScript(tables.beat)
            try run("UPDATE \(tables.current) SET \"slot\" = 0, \"opened_at\" = pg_catalog.clock_timestamp()")
            try HistoryTriggers(of: schema, on: connection).renew()
            return true
        }
    }

    /// Removes the guard of ``start()``, after all programs were restarted.
    ///
    /// - Returns: False if there was no guard; nothing was changed then.
    /// - Throws: `MigrationError` with `noHistory`, `historyNotStarted` and as ``enable()``.
    package func trust() throws -> Bool {
        try changing { schema in
            switch try record().phase {
            case .trusted: return false
            case .enabled:
                throw MigrationError(
                    .historyNotStarted,
                    "The history of the store in schema '\(schemaName)' was not started. Restart all programs, and run "
                        + "howdah history start.")
            case .guarded: break
            }
            try run("UPDATE \(tables.state) SET \"is_guarded\" = FALSE")
            try HistoryTriggers(of: schema, on: connection).renew()
            return true
        }
    }

    /// Drops the history with everything in it. Programs that have the store open must be restarted.
    ///
    /// - Throws: `MigrationError` with `noHistory`, `heldByConsumer` if a consumer is registered, and as ``enable()``.
    package func disable() throws {
        try changing { schema in
            let lost = try lostParts() ?? []
            // A history that lacks tables can be removed, too.
            if lost.isEmpty { _ = try record() }
            let names = lost.contains(Self.consumerTable) ? [] : try names()
            guard names.isEmpty else {
                throw MigrationError(
                    .heldByConsumer,
                    "The history has the \(names.count == 1 ? "consumer" : "consumers") \(names.joined(separator: ", ")). Nothing "
                        + "was changed. Run howdah history forget for each of them first."
                )
            }
            try HistoryTriggers(of: schema, on: connection).remove()
            try HistoryInstallation(of: schema, on: connection).remove()
        }
    }

    /// Writes changes of other programs to the objects of an entity's hierarchy, and to their links.
    ///
    /// Programs that have the store open report their own changes twice until they are restarted.
    ///
    /// - Returns: False if the entity was tracked; only missing triggers are created then.
    /// - Throws: `MigrationError` with `noHistory`, `unknownEntity` and as ``enable()``.
    package func track(_ entityName: String) throws -> Bool { try track(entityName, true) }

    /// Ends what ``track(_:)`` began.
    ///
    /// - Returns: False if the entity was not tracked; nothing was changed then.
    /// - Throws: `MigrationError` as ``track(_:)``.
    package func untrack(_ entityName: String) throws -> Bool { try track(entityName, false) }

    private func track(_ entityName: String, _ isTracked: Bool) throws -> Bool {
        try changing { schema in
            _ = try record()
            guard let entity = schema.entities[entityName] else {
                throw MigrationError(
                    .unknownEntity,
                    "The store's model has no entity named '\(entityName)'. Name one of: "
                        + "\(schema.entities.keys.sorted().joined(separator: ", ")).")
            }
            let root = schema.entities[entity.rootEntity] ?? entity
            var parameters = Parameters()
            try parameters.append(root.storedName)
            let array =
                isTracked
                ? "pg_catalog.array_append(\"tracked\", $1)" : "pg_catalog.array_remove(\"tracked\", $1)"
            let changed = try connection.query(
                "UPDATE \(tables.state) SET \"tracked\" = \(array), \"is_tracked\" = pg_catalog.cardinality(\(array)) > 0 "
                    + "WHERE \(isTracked ? "NOT " : "")$1 = ANY (\"tracked\")", parameters, cached: false)
            // Also if nothing changed: triggers may be missing.
            try HistoryTriggers(of: schema, on: connection).renew()
            return changed.affectedRows == 1
        }
    }

    /// Continues the history after `pg_upgrade`, which gives the cluster another identifier and keeps the numbers of
    /// transactions.
    ///
    /// After restoring a dump, or for a clone, call ``reset()`` instead: there, tokens would hide changes.
    ///
    /// - Returns: False if the history is of this cluster; nothing was changed then.
    /// - Throws: `MigrationError` with `noHistory`, `otherHistory` if the numbers of transactions are lower than those of the
    ///   history, or this is a copy in the same cluster, and as ``enable()``.
    package func adopt() throws -> Bool {
        try changing { _ in
            let record = try record(checked: false)
            guard let refusal = record.refusal(in: schemaName) else { return false }
            guard record.isOfAnotherCluster else { throw MigrationError(.otherHistory, refusal) }
            let adopted = try connection.query(
                "UPDATE \(tables.state) SET \"system_identifier\" = \(HistoryTables.systemIdentifier), "
                    + "\"database_oid\" = \(HistoryTables.databaseIdentifier) "
                    + "WHERE pg_catalog.pg_snapshot_xmax(\"heartbeat\") <= "
                    + "pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()) AND EXISTS (SELECT FROM \(tables.current))",
                cached: false)
            guard adopted.affectedRows == 1 else {
                throw MigrationError(
                    .otherHistory,
                    "\(refusal) The history cannot be adopted, because this cluster has not used the numbers of transactions that "
                        + "the history has, or because rows are missing. Run howdah history reset.")
            }
            return true
        }
    }

    /// Begins a new history, after restoring a dump or in a clone. Tokens and consumers of the old one expire.
    ///
    /// - Throws: `MigrationError` with `noHistory`, and as ``enable()``.
    package func reset() throws {
        try changing { schema in
            _ = try record(checked: false)
            try HistoryInstallation(of: schema, on: connection).reset()
        }
    }

    /// Removes a consumer, so that the history does not wait for it any more.
    ///
    /// - Throws: `MigrationError` with `noHistory`, `unknownConsumer` and as ``enable()``.
    package func forget(_ consumer: String) throws {
        try changing { _ in
            // Consumers can be forgotten before a history that lacks other tables is removed.
            if try lostParts()?.contains(Self.consumerTable) != false { _ = try record(checked: false) }
            var parameters = Parameters()
            try parameters.append(consumer)
            let names = try names()
            let gone = try Self.asProgram {
                try connection.query(
                    "DELETE FROM \(tables.consumer) WHERE \"name\" = $1", parameters, cached: false)
            }
            guard gone.affectedRows == 1 else {
                throw MigrationError(
                    .unknownConsumer,
                    "The history has no consumer '\(consumer)'. "
                        + (names.isEmpty
                            ? "None is registered." : "Name one of: \(names.joined(separator: ", "))."))
            }
        }
    }

    private static let consumerTable = HistoryTables.prefix + "_consumer"

    private func names() throws -> [String] {
        try connection.query("SELECT \"name\" FROM \(tables.consumer) ORDER BY 1", cached: false)
            .map { $0[0].string() }
    }

    /// The tables of the history that are missing, by their names; nil if the store has no history.
    private func lostParts() throws -> [String]? {
        let lost = try HistoryInstallation.missingTables(in: schemaName, on: connection)
            .filter { !HistoryTables.mendedNames.contains($0) }
        if lost.count == HistoryTables.tableNames.count,
            try StoreRecord(in: schemaName, on: connection, for: .none)?.format.requiresHistory != true
        {
            return nil
        }
        return lost
    }

    /// The state of the history.
    ///
    /// - Parameter isChecked: Indicates whether the history must be of this cluster.
    /// - Throws: `MigrationError` with `noHistory`, `incompleteHistory`, `notAStore` or `otherHistory`.
    func record(checked isChecked: Bool = true) throws -> HistoryRecord {
        guard let lost = try lostParts() else {
            if try StoreRecord(in: schemaName, on: connection, for: .none) == nil { throw noStore }
            throw MigrationError(
                .noHistory,
                "The store in schema '\(schemaName)' has no history. To write one, run howdah history enable."
            )
        }
        guard lost.isEmpty, let record = try HistoryRecord(in: schemaName, on: connection) else {
            throw MigrationError(.incompleteHistory, HistoryRecord.refusal(of: lost, in: schemaName))
        }
        if isChecked || record.isForeign, let refusal = record.refusal(in: schemaName) {
            throw MigrationError(.otherHistory, refusal)
        }
        return record
    }

    func run(_ sql: String) throws { _ = try connection.query(sql, cached: false) }

    /// Runs `body` in a transaction that no migration runs beside, and repeats it while locks are missing.
    private func changing<T>(_ body: (StoreSchema) throws -> T) throws -> T {
        try MigrationError.wrapping {
            let end = ContinuousClock.now.advanced(by: lockBudget)
            while true {
                do {
                    return try attempt(body)
                } catch let error as PostgresError where error.isOfLocks && ContinuousClock.now < end {
                    connection.canceller.pause(for: .milliseconds(Int.random(in: 100...300)))
                } catch let error as PostgresError where error.isOfLocks {
                    throw MigrationError(
                        .lockTimeout,
                        "The tables could not be locked within \(lockBudget.inWords). Nothing was changed. End the transactions that "
                            + "use them, or retry with a larger --lock-budget.", databaseError: error)
                } catch let error as MigrationError where error.code == .busy && ContinuousClock.now < end {
                    connection.canceller.pause(for: .milliseconds(Int.random(in: 50...150)))
                }
            }
        }
    }

    private func attempt<T>(_ body: (StoreSchema) throws -> T) throws -> T {
        try connection.begin()
        do {
            try connection.executeScript(
                "SET LOCAL search_path = pg_catalog, pg_temp; SET LOCAL synchronous_commit = on; "
                    + "SET LOCAL lock_timeout = \(SQLLiteral.integer(lockTimeout.settingInMilliseconds))")
            var key = Parameters()
            try key.append("howdah:\(schemaName)")
            let isLocked = try connection.query(
                "SELECT pg_catalog.pg_try_advisory_xact_lock(pg_catalog.hashtextextended($1, 0))", key,
                cached: false
            ).map { $0[0].isTrue }.first
            guard isLocked == true else {
                let holder = try MigrationLock(connection: connection, schemaName: schemaName).holder()
                throw MigrationError(
                    .busy,
                    "Another program is working on the store in schema '\(schemaName)'\(holder). Nothing was changed. Retry after "
                        + "that program has finished.")
            }
            let schema = try schema()
            let result = try body(schema)
            try MigratingRole(connection: connection, schemaName: schemaName).settle(schema)
            try connection.commit()
            return result
        } catch {
            // The error that led here is the one to report.
            try? connection.rollback()
            throw error
        }
    }

    private var noStore: MigrationError {
        MigrationError(
            .notAStore, "The schema '\(schemaName)' has no store. Check --database and --schema.")
    }

    /// The tables of the store's model.
    private func schema() throws -> StoreSchema {
        guard let record = try StoreRecord(in: schemaName, on: connection, for: .writing) else {
            throw noStore
        }
        do {
            return try StoreSchema(record.migratableModel(), schemaName: schemaName)
        } catch let error as ModelError {
            throw MigrationError(.invalidModel, error.description)
        }
    }
}
