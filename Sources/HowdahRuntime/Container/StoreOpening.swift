import Foundation
package import HowdahModel
package import HowdahSchema
package import PQClient

/// Opens a store: lays out the model, connects, and finds or creates the store in its schema.
package struct StoreOpening {
    private static let oldestServer = 130_000
    /// The number of differences between the store's model and another one that an error names.
    private static let differencesNamed = 10

    package let model: ManagedObjectModel
    let schema: StoreSchema
    package let options: StoreOptions
    package let pool: ConnectionPool
    package let workers: WorkerPool
    package let log: StatementLog
    /// The queue for the connections.
    private let admission: AdmissionQueue
    /// A closure that is called after a new store was created.
    var storeMade: (@Sendable () -> Void)?
    /// Ends the waiting of an opening when its task is cancelled.
    private let relay = CancellationRelay()

    package init(_ url: String, model: ManagedObjectModel, options: StoreOptions) throws {
        self.model = model
        self.options = options
        guard options.connectionWait > .zero else {
            throw StoreError(
                .invalidOptions, "connectionWait is \(options.connectionWait). Set it to a positive duration."
            )
        }
        if let timeout = options.statementTimeout, timeout <= .zero {
            throw StoreError(
                .invalidOptions,
                "statementTimeout is \(timeout). Set it to a positive duration, or to nil for no limit.")
        }
        guard options.maximumWaitingUnits >= 0 else {
            throw StoreError(
                .invalidOptions,
                "maximumWaitingUnits is \(options.maximumWaitingUnits). Set it to 0 or more.")
        }
        guard options.maximumConnections > 0 else {
            throw StoreError(
                .invalidOptions,
                "maximumConnections is \(options.maximumConnections). Set it to 1 or more.")
        }
        guard options.drainingTime >= .zero else {
            throw StoreError(
                .invalidOptions,
                "drainingTime is \(options.drainingTime). Set it to zero or a positive duration.")
        }
        guard !options.isReadOnly || !options.resolvesLostCommits else {
            throw StoreError(
                .invalidOptions,
                "resolvesLostCommits is set, and a container with isReadOnly saves nothing. Unset one of the two."
            )
        }
        if let time = options.slowStatement, time < .zero {
            throw StoreError(
                .invalidOptions,
                "slowStatement is \(time). Set it to zero or a positive duration, or to nil for no log.")
        }
        if let timeout = options.streamIdleTimeout, timeout <= .zero {
            throw StoreError(
                .invalidOptions,
                "streamIdleTimeout is \(timeout). Set it to a positive duration, or to nil for no limit.")
        }
        do {
            schema = try StoreSchema(model, schemaName: options.schemaName)
        } catch {
            throw StoreError(.invalidModel, error.description)
        }
        var configuration: ConnectionConfiguration
        do {
            configuration = try ConnectionConfiguration(url)
        } catch let error as PostgresError {
            throw StoreError(
                .database,
                "The connection string cannot be read. Correct it, for example to postgres://user@host/name.",
                databaseError: error)
        }
        configuration.pooler = options.pooler
        configuration.isReadOnly = options.isReadOnly
        configuration.applicationName = configuration.applicationName ?? options.applicationName
        configuration.statementTag = String(model.versionChecksum.prefix(4))
        pool = ConnectionPool(
            configuration: configuration, maximumConnections: options.maximumConnections,
            cleansSessions: false)
        admission = AdmissionQueue(places: options.maximumConnections)
        let place = StorePlace(schemaName: options.schemaName, pool, admission)
        let events = StoreEvents(
            options.observer.flatMap { GuardedObserver.listener(for: $0, of: place) },
            slowerThan: options.slowStatement)
        pool.observeOpenings { [weak openings = events.openings] time in openings?.note(time) }
        log = StatementLog(
            logger: options.logger, levels: options.statementLevels, slowerThan: options.slowStatement,
            listeners: events)
        workers = WorkerPool(maximumThreads: options.maximumConnections, name: "howdah")
    }

    /// Opens the store on a thread of the store; the caller's is not blocked.
    func run() async throws -> Store {
        do {
            return try await onWorker { try open() }
        } catch {
            await close()
            throw error
        }
    }

    /// Runs work on a thread of the store.
    package func onWorker<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                workers.enqueue(Work { continuation.resume(with: Result { try body() }) })
            }
        } onCancel: {
            relay.cancel()
        }
    }

    /// Closes the connections and threads of the opening.
    package func close() async {
        await pool.close(drainingFor: .zero)
        workers.shutdown()
    }

    package func withConnection<T>(_ body: (Connection) throws -> T) throws -> T {
        do {
            let connection = try lease()
            let detach = relay.cancelling(connection.canceller)
            defer {
                detach()
                pool.release(connection)
            }
            log.attach(to: connection)
            return try connection.about(StatementSubject(.open)) {
                try checkServer(connection)
                return try body(connection)
            }
        } catch  where relay.isCancelled {
            throw CancellationError()
        } catch let error as PostgresError {
            let isFull = error.sqlState == SQLState.tooManyConnections
            let message =
                error.sqlState == SQLState.insufficientPrivilege
                ? "The role lacks a right that opening needs. Run howdah migrate doctor --role as the store's owner, and "
                    + "grant the rights that it lists."
                : isFull
                    ? "The server has no free connections. Raise its max_connections, or lower maximumConnections of the "
                        + "programs that use it."
                    : error.phase == .connect
                        ? "The database cannot be reached. Check the address and that the server runs."
                        : error.isOfSession
                            ? "The connection was lost while the store was opened. Open the store again."
                            : "The database refused a statement while the store was opened. Correct the cause that it names, and open the "
                                + "store again."
            throw StoreError(.database, message, databaseError: error)
        }
    }

    private func lease() throws -> Connection {
        var waiting: Int?
        defer { if let waiting { relay.detach(waiting) } }
        return try pool.lease(timeout: options.connectionWait.bounded) { cancel in
            waiting = relay.attach(cancel)
            return waiting != nil
        }
    }

    private func open() throws -> Store {
        try withConnection { connection in
            try StoreMark.reserve(
                options.schemaName, on: connection, within: options.connectionWait.bounded)
            let (recorded, rows, schema, checksum) = try found(connection)
            if !connection.isPooled { connection.markedStore = recorded }
            // Tables without a record are no store that could be destroyed or replaced.
            let identifier = recorded ?? UUID()
            let history = try history(of: schema, rows, on: connection)
            let layouts = try StoreLayout(
                model: model, schema: schema, storeIdentifier: identifier,
                transformers: options.valueTransformers)
            return Store(
                identifier: identifier, layouts: layouts, classes: try ObjectClasses(model, layouts.entities),
                pool: pool, workers: workers,
                sizes: TableSizes(
                    layouts.entities.map { schema.entities[$0.name].flatMap { rows[$0.table] } ?? 0 }),
                settings: StoreSettings(options), admission: admission,
                tokens: options.resolvesLostCommits ? SaveTokens(SaveTokenTable.table(of: schema)) : nil,
                history: history, log: log,
                watch: checksum.map {
                    ModelWatch(
                        model: model, schemaName: options.schemaName, checksum: $0,
                        isReading: options.isReadOnly)
                }, mark: recorded.map { StoreMark(schemaName: options.schemaName, identifier: $0) })
        }
    }

    /// Returns the store, or an error if it was destroyed while it was read: behind a pooler nothing prevents
    /// that.
    private func found(
        _ connection: Connection
    ) throws -> (recorded: UUID?, rows: [String: Int], StoreSchema, checksum: String?) {
        do {
            return try store(connection)
        } catch let error as PostgresError
            where connection.isPooled
            && (error.sqlState == SQLState.undefinedTable || error.sqlState == SQLState.invalidSchemaName)
        {
            throw StoreError(
                .inUse,
                "Another program destroyed or replaced the store in schema '\(options.schemaName)' while it was "
                    + "opened. Open the store again.", databaseError: error)
        }
    }

    /// - Returns: Also the checksum of the store's model; nil over tables of another program.
    private func store(
        _ connection: Connection
    ) throws -> (recorded: UUID?, rows: [String: Int], StoreSchema, checksum: String?) {
        if options.existingTables {
            let (recorded, rows, schema) = try storeOverExistingTables(connection)
            return (recorded, rows, schema, nil)
        }
        if let refusal = schema.refusalOfOwnStore { throw StoreError(.invalidModel, refusal) }
        if !options.isReadOnly { try options.migrator?.migrate(self, on: connection) }
        if let (record, rows) = try existingStore(connection) {
            return (record.identifier, rows, schema, record.checksum)
        }
        if options.isReadOnly { throw StoreError.nothingToRead(in: schema.schemaName) }
        let record = try createStore(connection)
        let hasHistory = try HistoryRecord.exists(in: options.schemaName, on: connection)
        return (
            record.identifier, hasHistory ? [HistoryTables.tableNames[0]: 0] : [:], schema, record.checksum
        )
    }

    private func checkServer(_ connection: Connection) throws {
        guard connection.serverVersion >= Self.oldestServer else {
            throw StoreError(
                .unsuitableDatabase, "The server is older than PostgreSQL 13. Use PostgreSQL 13 or newer.")
        }
        let encoding = connection.parameterStatus("server_encoding") ?? "unknown"
        guard encoding == "UTF8" else {
            throw StoreError(
                .unsuitableDatabase,
                "The database's encoding is \(encoding). Create a database with CREATE DATABASE … ENCODING 'UTF8' "
                    + "TEMPLATE template0."
            )
        }
        // A session that was not asked when it opened is asked now.
        let isSafe =
            try connection.findsOwnNamesFirst
            ?? Connection.findsOwnNamesFirst(
                connection.query("SHOW search_path").scalar { $0.string() } ?? "")
        guard isSafe else { throw StoreError.foreignNamesFirst }
    }

    /// Returns the record of the store in the schema, and the approximate rows of its tables; nil if there is
    /// none.
    ///
    /// - Throws: `StoreError.incompatibleModel` if it has another model.
    private func existingStore(_ connection: Connection) throws -> (StoreRecord, rows: [String: Int])? {
        let (record, rows) = try storeRecord(connection)
        guard let record else { return nil }
        if record.format.isOverExistingTables {
            throw StoreError(
                .notAStore,
                "The tables in schema '\(schema.schemaName)' belong to another program. Nothing was changed. "
                    + "Set StoreOptions.existingTables to true to use them, or choose another "
                    + "StoreOptions.schemaName."
            )
        }
        if let refusal = record.format.refusal(in: schema.schemaName, reading: options.isReadOnly) {
            throw StoreError(.incompatibleModel, refusal)
        }
        let isCurrent = model.hasChecksum(record.checksum)
        if !isCurrent, options.accepting == .compatible {
            try checkCompatibility(record)
        } else if !isCurrent {
            throw StoreError(
                .incompatibleModel,
                "The store in schema '\(schema.schemaName)' has the model \(record.checksum), and the "
                    + "program's model is \(model.versionChecksum)\(differences(from: record)). If the store "
                    + "is older, migrate it with howdah migrate apply or "
                    + "StoreOptions.shouldMigrateStoreAutomatically. If a later version of the program "
                    + "migrated it, start that version. To open a later store that has all of the program's "
                    + "model, set StoreOptions.accepting to .compatible."
            )
        }
        try checkPendingWork(connection, rows)
        try checkTokens(rows)
        try checkHistory(record, rows)
        return (record, rows)
    }

    /// Returns the differences from the recorded model, as part of a sentence; empty if the record cannot be
    /// read.
    private func differences(from record: StoreRecord) -> String {
        guard let stored = try? ManagedObjectModel(canonicalJSON: record.model) else { return "" }
        let sentences = model.differences(from: stored)
        if sentences.isEmpty { return "" }
        let more = sentences.count - Self.differencesNamed
        return " (\(sentences.prefix(Self.differencesNamed).joined(separator: "; "))"
            + (more > 0 ? "; and \(more) more differences)" : ")")
    }

    /// - Throws: `StoreError.schemaMismatch` if lost commits are to be resolved and the table for it is
    ///   missing.
    func checkTokens(_ rows: [String: Int]) throws {
        guard options.resolvesLostCommits, rows[schema.saveTable] == nil else { return }
        throw StoreError(
            .schemaMismatch,
            "The store has no table for StoreOptions.resolvesLostCommits. Create the table as the owner of the "
                + "schema '\(schema.schemaName)', and grant the rights that the store's other tables have:\n"
                + SaveTokenTable.creation(of: schema))
    }

    /// Returns the store's record, nil if there is none, and the approximate number of rows of the schema's
    /// tables.
    package func storeRecord(_ connection: Connection) throws -> (StoreRecord?, rows: [String: Int]) {
        var parameters = Parameters()
        try parameters.append(schema.schemaName)
        // Not to_regclass, which answers from the session's cache: after waiting for the lock that is out of date.
        let known = try connection.query(
            "SELECT c.relname::text, c.reltuples::bigint FROM pg_catalog.pg_class c "
                + "JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
                + "WHERE n.nspname = $1 AND c.relkind IN ('r', 'p') AND \(HistoryTables.isAttached("c"))",
            parameters,
            cached: false)
        let rows = Dictionary(
            known.map { ($0[0].string(), Int(max(0, $0[1].int64))) }, uniquingKeysWith: { first, _ in first })
        guard rows[schema.metadataTable] != nil else { return (nil, rows) }
        let result = try connection.query(StoreMetadata.selection(in: schema.schemaName), cached: false)
        let found: StoreRecord?
        do {
            found = try StoreRecord(result, in: schema.schemaName)
        } catch let error as StoreRecordError {
            throw StoreError(.notAStore, error.message)
        }
        guard let record = found else {
            throw StoreError(
                .notAStore,
                "The store's record in schema '\(schema.schemaName)' is empty. Restore the table "
                    + "'\(schema.metadataTable)' from a backup.")
        }
        return (record, rows)
    }

    /// Creates the store in one transaction. If another process was first, it returns that one's.
    private func createStore(_ connection: Connection) throws -> StoreRecord {
        do {
            try connection.begin()
        } catch let error as PostgresError where error.sqlState == SQLState.featureNotSupported {
            throw StoreError(
                .database,
                "The schema '\(options.schemaName)' has no store, and the server is a standby, where none can be created. Use the "
                    + "address of the primary server.", databaseError: error)
        }
        do {
            try lock(connection)
            if let (record, _) = try existingStore(connection) {
                try connection.rollback()
                return record
            }
            try connection.executeScript(script(connection))
            let identifier = UUID()
            _ = try connection.query(
                StoreMetadata.insertion(for: schema), record(identifier, StoreMetadata.formatWithoutHistory))
            if options.history == .enabled {
                try HistoryInstallation(of: schema, on: connection).make(isStarted: true)
            }
            try connection.commit()
            storeMade?()
            return StoreRecord(
                identifier: identifier, format: StoreFormat(recorded: StoreMetadata.formatWithoutHistory),
                checksum: model.versionChecksum, model: "", createdAt: Date())
        } catch {
            // The error that led here is the one to report.
            try? connection.rollback()
            let known = explained(error)
            if known is StoreError { throw known }
            throw RefusedRule(schema, connection).explained(error) ?? known
        }
    }

    private func script(_ connection: Connection) throws -> String {
        var parameters = Parameters()
        try parameters.append(schema.schemaName)
        let found = try connection.query(
            "SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = $1", parameters)
        let creation = SchemaCreation(schema, includingSchema: found.rowCount == 0)
        return (creation.probes.map(\.sql) + creation.statements).joined(separator: ";\n")
    }

    /// Waits for other processes that create a store in the schema.
    ///
    /// - Throws: `StoreError` with `inUse` after ``StoreOptions/connectionWait``; `PostgresError`.
    func lock(_ connection: Connection) throws {
        let lock = StoreLock.work(on: schema.schemaName)
        let end = ContinuousClock.now + options.connectionWait.bounded
        while try !lock.take(on: connection) {
            guard .now < end else {
                throw StoreError(
                    .inUse,
                    "Another program creates, migrates, destroys or replaces the store in schema "
                        + "'\(schema.schemaName)'\(StoreLock.list(try lock.holders(on: connection))). Open the "
                        + "store again when that program has finished.")
            }
            connection.canceller.pause(for: .milliseconds(50))
        }
    }

    func record(_ identifier: UUID, _ format: Int32) throws -> Parameters {
        var parameters = Parameters()
        parameters.append(.uuid) { $0.uuid(identifier) }
        parameters.append(.int4) { $0.int32(format) }
        try parameters.append(model.canonicalJSON)
        try parameters.append(model.versionChecksum)
        return parameters
    }

    func explained(_ error: any Error) -> any Error {
        guard let error = error as? PostgresError else { return error }
        switch error.sqlState {
        case SQLState.undefinedObject where error.message.contains(FoldingFunctions.collation):
            return StoreError(
                .unsuitableDatabase,
                "The server was built without ICU: it has no collation \(FoldingFunctions.collation), which comparisons "
                    + "without case need. Use a server with ICU, such as the packages of Debian or postgresql.org.",
                databaseError: error)
        case SQLState.duplicateTable:
            return StoreError(
                .notAStore,
                "The schema '\(schema.schemaName)' has a table of another program with a name that the model needs. "
                    + "Choose an empty schema with StoreOptions.schemaName.", databaseError: error)
        case SQLState.insufficientPrivilege:
            return StoreError(
                .database,
                "The schema '\(schema.schemaName)' has no store, and the role may not create a store. Open the "
                    + "container once as the owner of the schema.", databaseError: error)
        default: return error
        }
    }

    /// A closure as a piece of work.
    private final class Work: PoolWork {
        private let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }

        func run() { body() }
    }
}
