public import Foundation
import HowdahModel
import HowdahSchema
import PQClient

/// The description of a store: its identity, its model, and the entries that programs set.
///
/// Source: the dictionary of Core Data's `metadataForPersistentStore(type:at:)`.
public struct PersistentStoreMetadata: Hashable, Sendable {
    /// The store's identity, which is a part of all ids of its objects.
    ///
    /// Source: Core Data's `NSStoreUUIDKey`.
    public let storeIdentifier: UUID
    /// The checksum of the store's model, equal to ``ManagedObjectModel/versionChecksum`` of the same model.
    public let versionChecksum: String
    /// The version hash of each entity by its name; empty if this version of the library cannot read the model.
    ///
    /// Source: Core Data's `NSStoreModelVersionHashesKey`.
    public let entityVersionHashes: [String: String]
    /// The model's version identifier; nil if it has none.
    ///
    /// Source: Core Data's `NSStoreModelVersionIdentifiersKey`.
    public let versionIdentifier: String?
    /// The time at which the store was created.
    public let createdAt: Date
    /// A Boolean value that indicates whether the tables belong to another program.
    ///
    /// See ``StoreOptions/existingTables``.
    public let usesExistingTables: Bool
    /// The entries that programs set, by their keys.
    public let entries: [String: MetadataValue]

    /// Returns the entry of a key; nil if there is none.
    public subscript(key: String) -> MetadataValue? { entries[key] }

    /// Reads the metadata of the store in a schema, in a transaction with one snapshot.
    ///
    /// - Throws: `StoreError` with `notAStore`; `PostgresError`.
    init(in schemaName: String, on connection: Connection) throws {
        guard let record = try StoreRecord(in: schemaName, on: connection, for: .reading) else {
            throw StoreSession.noStore(in: schemaName)
        }
        let model = try? ManagedObjectModel(canonicalJSON: record.model)
        storeIdentifier = record.identifier
        versionChecksum = record.checksum
        entityVersionHashes = model?.entityVersionHashes ?? [:]
        versionIdentifier = model?.versionIdentifier
        createdAt = record.createdAt
        usesExistingTables = record.format.isOverExistingTables
        // Other programs may have written what this type cannot hold.
        entries = Dictionary(
            try MetadataEntryTable.entries(in: schemaName, on: connection).map {
                ($0.key, MetadataValue(json: $0.json) ?? .string($0.json))
            }, uniquingKeysWith: { _, last in last })
    }
}
