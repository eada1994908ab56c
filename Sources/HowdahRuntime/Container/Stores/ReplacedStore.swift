package import Foundation
import PQClient

/// The copy that replaced a store.
package struct ReplacedStore: Sendable {
    /// The identity of the copy.
    package let identifier: UUID
    /// The number of its tables.
    package let tables: Int
    /// The number of rows in them.
    package let rows: Int
    /// A Boolean value that indicates whether the schema had no store before.
    package let isNew: Bool
}

extension PersistentContainer {
    /// Makes the store in a schema a copy of another store, in the same database or in another one.
    ///
    /// The present store is destroyed as by ``destroyStore(at:options:endingSessions:waiting:)``, and the
    /// copy is created, in one transaction. If the schema has no store, it gets one. The source is read in
    /// one snapshot, and may be in use.
    ///
    /// The copy has the source's model, objects with their keys, metadata and history of migrations. It has
    /// its own identity, so that ids of the two stores stay distinct. Roles keep their rights on tables,
    /// columns and the sequence by name, and the store keeps its owner.
    ///
    /// - Parameters:
    ///   - url: The database of the store to replace, as in ``open(_:model:options:)``.
    ///   - options: Its schema and the settings of the connection.
    ///   - sourceURL: The database of the source.
    ///   - sourceOptions: The source's schema and the settings of the connection.
    ///   - endsSessions: Indicates whether to end the sessions of containers that have the store open.
    ///   - wait: The time to wait for other programs.
    /// - Throws: `StoreError` with one of these codes; or `CancellationError`. Nothing was changed then.
    ///   - `notAStore`: The source is not a store.
    ///   - `inUse`, `missingGrant`, `database`.
    ///   - `hasDependents`: There are views or similar objects, or row security.
    ///   - `migrationFailed`: The source has remaining steps of a migration.
    ///   - `invalidOptions`: Both are one store.
    ///
    /// Source: Core Data's
    /// `replacePersistentStore(at:destinationOptions:withPersistentStoreFrom:sourceOptions:type:)`.
    public static func replaceStore(
        at url: String, options: StoreOptions = StoreOptions(), withStoreFrom sourceURL: String,
        sourceOptions: StoreOptions = StoreOptions(), endingSessions endsSessions: Bool = false,
        waiting wait: Duration = .seconds(5)
    ) async throws {
        _ = try await copyStore(
            to: url, options: options, from: sourceURL, sourceOptions: sourceOptions,
            endingSessions: endsSessions, waiting: wait)
    }

    /// Replaces a store, and returns the copy.
    package static func copyStore(
        to url: String, options: StoreOptions, from sourceURL: String, sourceOptions: StoreOptions,
        expecting identifier: UUID? = nil, endingSessions endsSessions: Bool, waiting wait: Duration
    ) async throws -> ReplacedStore {
        try options.checkWritable()
        let destination = try StoreSession(url, options: options)
        let origin = try StoreSession(sourceURL, options: sourceOptions)
        return try await destination.run(with: origin) { connection, other in
            try StoreExclusion(
                connection: connection, schemaName: destination.schemaName, end: .now + wait,
                endsSessions: endsSessions
            ).run {
                defer { if other.isUsable { try? other.rollback() } }
                let source = try StoreSource(other, in: origin.schemaName)
                return try StoreReplacement(
                    connection: connection, schemaName: destination.schemaName, source: source,
                    expected: identifier
                ).run()
            }
        }
    }
}
