package import HowdahModel
import HowdahSchema
package import PQClient

extension PersistentContainer {
    /// Opens a store with the model of its record, or tables without a store with a model of them, only for reading.
    ///
    /// Nothing is created or changed. Sessions are read-only, statements end after two seconds, and waits for
    /// locks after one.
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
        options.sessionSettings =
            "-c statement_timeout=2s -c lock_timeout=1s -c idle_in_transaction_session_timeout=10s"
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
                    + "the program that migrated the store.", cause: error)
        }
        options.existingTables = record.format.isOverExistingTables
        return try await open(url, model: model, options: options)
    }
}
