package import HowdahModel
import HowdahSchema
package import PQClient

extension PersistentContainer {
    /// Opens a store with the model of its record, or tables without a store with a model of them, only for reading.
    ///
    /// Nothing is created or changed. Sessions are read-only, and statements end after two seconds. Set other limits
    /// in transactions, because a pooler refuses settings of sessions.
    ///
    /// - Parameters:
    ///   - options: The schema, the pooler and the log; the other options are set here.
    ///   - pulling: Returns the model of the tables in a schema without a store; nil if there are none.
    /// - Throws: `StoreError` with `notAStore` if the schema has no store, and the errors of
    ///   ``open(_:model:options:)``.
    package static func openForBrowsing(
        _ url: String, options: StoreOptions = StoreOptions(),
        pulling: @escaping @Sendable (Connection, String) throws -> ManagedObjectModel? = { _, _ in nil }
    ) async throws -> PersistentContainer {
        var options = options
        options.isReadOnly = true
        options.keepsHistory = false
        options.mergesRemoteChanges = false
        options.maximumConnections = 4
        options.connectionWait = .seconds(5)
        options.statementTimeout = .seconds(2)
        options.applicationName = "howdah browse"
        let session = try StoreSession(url, options: options)
        let schemaName = options.schemaName
        let (record, pulled) = try await session.run { connection in
            try session.begin(connection, readOnly: true)
            let record = try StoreRecord(in: schemaName, on: connection, for: .reading)
            let pulled = record == nil ? try pulling(connection, schemaName) : nil
            try connection.commit()
            return (record, pulled)
        }
        if let pulled {
            (options.existingTables, options.requiresRecord) = (true, false)
            return try await open(url, model: pulled, options: options)
        }
        guard let record else {
            throw StoreError(
                .notAStore,
                "The schema '\(schemaName)' has no store, and browsing creates none. Create one with howdah "
                    + "migrate apply, or choose another schema.")
        }
        let model: ManagedObjectModel
        do {
            model = try ManagedObjectModel(canonicalJSON: record.model)
        } catch {
            throw StoreError(
                .incompatibleModel,
                "This version of the library cannot read the model in the store's record. Use the version of "
                    + "the program that migrated the store.", underlyingError: error)
        }
        options.existingTables = record.format.isOverExistingTables
        return try await open(url, model: model, options: options)
    }

    /// Runs `body` with a session that is only for it, outside of a transaction, with the limits of browsing.
    ///
    /// - Throws: `StoreError`; the error of the body.
    package static func readingApart<T: Sendable>(
        _ url: String, options: StoreOptions, _ body: @escaping @Sendable (Connection) throws -> T
    ) async throws -> T {
        try await StoreSession(url, options: options).run { connection in
            // A pooler would give a session with these settings to other programs.
            if !connection.isPooled {
                try connection.executeScript(
                    "SET default_transaction_read_only = on; SET statement_timeout = '2s'; SET lock_timeout = '1s'"
                )
            }
            return try body(connection)
        }
    }
}
