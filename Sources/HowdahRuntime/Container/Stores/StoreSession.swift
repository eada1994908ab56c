import HowdahModel
import HowdahSchema
package import PQClient

/// A session for work on a whole store without opening it: its metadata, its destruction, its replacement.
package struct StoreSession: Sendable {
    package let configuration: ConnectionConfiguration
    package let schemaName: String
    /// The maximum time for opening the session.
    private let connectionWait: Duration

    /// - Throws: `StoreError` with `invalidOptions`, or with `database` if the URL cannot be read.
    package init(_ url: String, options: StoreOptions) throws {
        if let mistake = StoreSchema.mistake(inSchemaName: options.schemaName) {
            throw StoreError(.invalidOptions, "StoreOptions.schemaName cannot be used. \(mistake)")
        }
        var configuration: ConnectionConfiguration
        do {
            configuration = try ConnectionConfiguration(url)
        } catch let error as PostgresError {
            throw StoreError(
                .database,
                "The connection string cannot be read. Write a URL such as postgres://user@host/name.",
                databaseError: error)
        }
        configuration.pooler = options.pooler
        self.configuration = configuration
        schemaName = options.schemaName
        connectionWait = options.connectionWait.bounded
    }

    /// Runs `body` with a connection, on a separate thread.
    ///
    /// - Throws: `CancellationError`; `StoreError`; the error of the body.
    func run<T: Sendable>(_ body: @escaping @Sendable (Connection) throws -> T) async throws -> T {
        let workers = WorkerPool(maximumThreads: 1, name: "howdah-store")
        defer { workers.shutdown() }
        let relay = CancellationRelay()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                workers.enqueue(
                    Work { continuation.resume(with: Result { try connected(relay, body) }) })
            }
        } onCancel: {
            relay.cancel()
        }
    }

    /// Runs `body` with a connection on this thread.
    func connected<T>(_ relay: CancellationRelay, _ body: (Connection) throws -> T) throws -> T {
        do {
            let connection = try Connection(
                configuration,
                patience: Patience(
                    until: .now + connectionWait, isOver: { relay.isCancelled }, cancelling: relay.cancelling)
            )
            defer { connection.close() }
            let detach = relay.cancelling(connection.canceller)
            defer { detach() }
            return try body(connection)
        } catch  where relay.isCancelled {
            throw CancellationError()
        } catch let error as PostgresError {
            throw Self.explained(error)
        } catch let error as StoreRecordError {
            throw StoreError(.notAStore, error.message)
        }
    }

    /// Begins a transaction that waits for locks no longer than for the opening of a session.
    func begin(
        _ connection: Connection, isolation: Isolation = .readCommitted, readOnly: Bool = false
    ) throws {
        try connection.begin(isolation: isolation, readOnly: readOnly)
        let (seconds, attoseconds) = connectionWait.components
        let milliseconds = seconds.multipliedReportingOverflow(by: 1000)
        let limit =
            milliseconds.overflow
            ? Int64(Int32.max)
            : min(Int64(Int32.max), max(1, milliseconds.partialValue + attoseconds / 1_000_000_000_000_000))
        _ = try connection.query("SET LOCAL lock_timeout = \(limit)", cached: false)
    }

    /// Runs `body` with connections to this store and to another one.
    func run<T: Sendable>(
        with other: StoreSession, _ body: @escaping @Sendable (Connection, Connection) throws -> T
    ) async throws -> T {
        let relay = CancellationRelay()
        return try await withTaskCancellationHandler {
            try await run { mine in
                try other.connected(relay) { try body(mine, $0) }
            }
        } onCancel: {
            relay.cancel()
        }
    }

    private static func explained(_ error: PostgresError) -> StoreError {
        if error.phase == .connect {
            return StoreError(
                .database, "The database cannot be reached. Check the address and that the server runs.",
                databaseError: error)
        }
        if error.mayHaveCommitted {
            return StoreError(
                .database,
                "The connection was lost during COMMIT. Read the store's metadata to find out if the change was "
                    + "committed.",
                databaseError: error)
        }
        if error.sqlState == SQLState.lockNotAvailable {
            return StoreError(
                .inUse,
                "Another session has locked the store. Nothing was changed. Retry when it has ended.",
                databaseError: error)
        }
        if error.sqlState == SQLState.insufficientPrivilege {
            return StoreError(
                .missingGrant,
                "The role lacks a right on the store. Nothing was changed. Use the store's owner, or grant the right.",
                databaseError: error)
        }
        return StoreError(
            .database,
            "The operation on the store failed in the database. Nothing was changed. Correct the cause that it names, and "
                + "repeat the operation.", databaseError: error)
    }

    /// Returns the error for a schema without a store.
    static func noStore(in schemaName: String) -> StoreError {
        StoreError(
            .notAStore,
            "The schema '\(schemaName)' has no store. Check the database and StoreOptions.schemaName.")
    }

    /// A closure as a piece of work.
    private final class Work: PoolWork {
        private let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }

        func run() { body() }
    }
}
