import HowdahModel
import HowdahSchema
import PQClient

extension PersistentContainer {
    /// Opens a store with the model of its record, only for reading.
    ///
    /// Nothing is created or changed. Sessions are read-only, statements end after two seconds, and waits for
    /// locks after one.
    ///
    /// - Parameter options: The schema, the pooler and the log; the other options are set here.
    /// - Throws: `StoreError` with `notAStore` if the schema has no store, and the errors of
    ///   ``open(_:model:options:)``.
    package static func openForBrowsing(
        _ url: String, options: StoreOptions = StoreOptions()
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
        let record = try await session.run { connection in
            try session.begin(connection, readOnly: true)
            let record = try StoreRecord(in: schemaName, on: connection, for: .reading)
            try connection.commit()
            return record
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
