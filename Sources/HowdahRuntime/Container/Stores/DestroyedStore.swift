package import Foundation

/// The removed parts of a store.
package struct DestroyedStore: Sendable {
    /// The identity of the store.
    package let identifier: UUID
    /// The names of its tables.
    package let tables: [String]
    /// A Boolean value that indicates whether the schema was empty afterwards, and was dropped.
    package let hasDroppedSchema: Bool
}

extension PersistentContainer {
    /// Destroys the store in a schema: its tables with all rows, its sequence, functions and triggers, and
    /// its record.
    ///
    /// All of it is removed in one transaction, or nothing. Objects of other programs stay: if a view or a
    /// foreign key of another program depends on the store, the call throws and names it. Over tables of
    /// another program (``StoreOptions/existingTables``) only the store's record is removed. The schema is
    /// dropped if it is empty then, is not `public`, and the role could create it again.
    ///
    /// Close your own container first. While sessions of open containers use the store, the call waits and
    /// then throws `inUse`; with `endingSessions` it ends them instead. Their next fetch or save throws
    /// `StoreError` with ``StoreError/Code/destroyed``. Sessions behind a pooler are not visible: the call
    /// only waits for their transactions.
    ///
    /// - Parameters:
    ///   - url: The database, as in ``open(_:model:options:)``.
    ///   - options: The schema and the settings of the connection.
    ///   - endsSessions: Indicates whether to end the sessions of containers that have the store open.
    ///   - wait: The time to wait for other programs.
    /// - Throws: `StoreError` with `notAStore` if there is none, `inUse`, `hasDependents`, `missingGrant`, or
    ///   `database`. `CancellationError`. Nothing was changed then.
    ///
    /// Source: Core Data's `destroyPersistentStore(at:type:options:)`.
    public static func destroyStore(
        at url: String, options: StoreOptions = StoreOptions(), endingSessions endsSessions: Bool = false,
        waiting wait: Duration = .seconds(5)
    ) async throws {
        _ = try await removeStore(at: url, options: options, endingSessions: endsSessions, waiting: wait)
    }

    /// Destroys a store, and returns its removed parts.
    package static func removeStore(
        at url: String, options: StoreOptions, expecting identifier: UUID? = nil,
        endingSessions endsSessions: Bool, waiting wait: Duration
    ) async throws -> DestroyedStore {
        try options.checkWritable()
        let session = try StoreSession(url, options: options)
        return try await session.run { connection in
            try StoreExclusion(
                connection: connection, schemaName: session.schemaName, end: .now + wait,
                endsSessions: endsSessions
            ).run {
                try StoreDestruction(
                    connection: connection, schemaName: session.schemaName, expected: identifier
                ).run()
            }
        }
    }
}
