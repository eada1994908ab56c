package import Foundation

/// What was removed with a store.
package struct DestroyedStore: Sendable {
    /// The identity that the store had.
    package let identifier: UUID
    /// The names of its tables.
    package let tables: [String]
    /// Indicates whether the schema was empty after it, and dropped.
    package let hasDroppedSchema: Bool
}

extension PersistentContainer {
    /// Destroys the store in a schema: its tables with all rows, its sequence, functions and triggers, and its record.
    ///
    /// All of it goes in one transaction, or nothing. Objects of other programs stay: if a view or a foreign key of theirs
    /// depends on the store, the call throws, and names them. Over tables of another program
    /// (``StoreOptions/existingTables``) only the store's record goes. The schema is dropped if it is empty then, is not
    /// `public`, and the role could make it again.
    ///
    /// Close your own container first. While sessions of open containers use the store, the call waits and then throws
    /// `inUse`; with `endingSessions` it ends them instead. Their next fetch or save throws `StoreError` with
    /// ``StoreError/Code/destroyed``. Sessions behind a pooler cannot be seen: only their transactions are waited for.
    ///
    /// - Parameters:
    ///   - url: The database, as in ``open(_:model:options:)``.
    ///   - options: The schema, and how to connect.
    ///   - endsSessions: Whether to end the sessions of containers that have the store open.
    ///   - wait: The time to wait for other programs.
    /// - Throws: `StoreError`: `notAStore` if there is no store, `inUse`, `hasDependents`, `missingGrant`, `database`;
    ///   `CancellationError`. Nothing was changed then.
    ///
    /// Source: Core Data's `destroyPersistentStore(at:type:options:)`.
    public static func destroyStore(
        at url: String, options: StoreOptions = StoreOptions(), endingSessions endsSessions: Bool = false,
        waiting wait: Duration = .seconds(5)
    ) async throws {
        _ = try await removeStore(at: url, options: options, endingSessions: endsSessions, waiting: wait)
    }

    /// Destroys a store, and returns what was removed.
    package static func removeStore(
        at url: String, options: StoreOptions, expecting identifier: UUID? = nil,
        endingSessions endsSessions: Bool, waiting wait: Duration
    ) async throws -> DestroyedStore {
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
