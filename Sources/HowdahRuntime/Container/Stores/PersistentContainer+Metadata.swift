import HowdahModel
import PQClient

extension PersistentContainer {
    /// Returns the metadata of a store with any model, without opening it.
    ///
    /// - Parameters:
    ///   - url: The database, as in ``open(_:model:options:)``.
    ///   - options: The schema and the settings of the connection.
    /// - Throws: `StoreError` with `notAStore` or `database`. `inUse` if another session, for example one
    ///   that replaces the store, has it locked for longer than `StoreOptions.connectionWait`.
    ///
    /// Source: Core Data's `metadataForPersistentStore(type:at:options:)`.
    public static func metadata(
        at url: String, options: StoreOptions = StoreOptions()
    ) async throws -> PersistentStoreMetadata {
        let session = try StoreSession(url, options: options)
        return try await session.run { connection in
            try session.begin(connection, isolation: .repeatableRead, readOnly: true)
            let metadata = try PersistentStoreMetadata(in: session.schemaName, on: connection)
            try connection.commit()
            return metadata
        }
    }

    /// Sets entries of a store's metadata, without opening it; nil removes an entry.
    ///
    /// Entries that you do not name stay unchanged. Two programs that set different keys at the same time
    /// lose nothing; of one key the last value counts. All entries are set, or none.
    ///
    /// - Parameters:
    ///   - values: The entries by their keys. A key has at most 255 bytes. A value has at most 1 MiB as JSON.
    ///   - url: The database, as in ``open(_:model:options:)``.
    ///   - options: The schema and the settings of the connection.
    /// - Throws: `StoreError` with `invalidMetadata` for keys and values that cannot be stored, and for
    ///   reserved keys. `missingGrant`, `notAStore` or `database`; `inUse` as ``metadata(at:options:)``.
    ///
    /// Source: Core Data's `setMetadata(_:type:at:options:)`, which replaces all entries.
    public static func setMetadata(
        _ values: [String: MetadataValue?], at url: String, options: StoreOptions = StoreOptions()
    ) async throws {
        let change = try MetadataChange(values)
        try options.checkWritable()
        let session = try StoreSession(url, options: options)
        try await session.run { connection in
            try session.begin(connection)
            try change.apply(in: session.schemaName, on: connection)
            try connection.commit()
        }
    }

    /// Returns the metadata of the open store as it is in the database now.
    ///
    /// - Throws: `StoreError` with `destroyed` or `database`; the errors of
    ///   ``perform(isolation:retrying:timeout:_:)``.
    ///
    /// Source: Core Data's `metadata(for:)`.
    public func metadata() async throws -> PersistentStoreMetadata {
        let schemaName = store.layouts.schema.schemaName
        return try await perform(isolation: .repeatableRead) { context in
            try Self.explaining {
                try context.withConnection { try PersistentStoreMetadata(in: schemaName, on: $0) }
            }
        }
    }

    /// Sets entries of the open store's metadata; nil removes an entry.
    ///
    /// It works as ``setMetadata(_:at:options:)``. The entries are stored when the call returns, not with the
    /// next save.
    ///
    /// - Throws: `StoreError` with `invalidMetadata`, `missingGrant`, `destroyed` or `database`; the errors
    ///   of ``perform(isolation:retrying:timeout:_:)``.
    ///
    /// Source: Core Data's `setMetadata(_:for:)`.
    public func setMetadata(_ values: [String: MetadataValue?]) async throws {
        let change = try MetadataChange(values)
        let schemaName = store.layouts.schema.schemaName
        let mark = store.mark
        try await perform(isolation: .readCommitted) { context in
            try Self.explaining {
                try context.withConnection { connection in
                    context.unit?.noteWriting()
                    if connection.isPooled, let mark {
                        var parameters = Parameters()
                        let sql = mark.check(&parameters)
                        _ = try connection.query(
                            sql, parameters, cached: false, about: StatementSubject(.select))
                    }
                    try change.apply(in: schemaName, on: connection)
                }
            }
        }
    }

    private static func explaining<T>(_ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch let error as PostgresError {
            throw StoreError(
                .database,
                "The database refused to read or change the metadata of the store. No metadata was changed. "
                    + "Correct the cause, and retry.", databaseError: error)
        }
    }
}
