import Foundation
import HowdahModel
import HowdahSchema
import PQClient

/// The entries of a store's metadata to set or remove; all keys and values can be stored.
struct MetadataChange: Sendable {
    private static let maximumKeyLength = 255
    /// The keys for which ``PersistentStoreMetadata`` has properties, as Core Data names them.
    private static let reserved: Set<String> = [
        "NSStoreUUID", "NSStoreType", "NSStoreModelVersionHashes", "NSStoreModelVersionIdentifiers",
        "NSStoreModelVersionHashesVersion", "NSStoreModelVersionHashesDigest",
        "NSStoreModelVersionChecksumKey",
        "NSPersistenceFrameworkVersion", "NSPersistenceMaximumFrameworkVersion",
    ]
    private static let reservedPrefix = "howdah."

    /// The entries in the order of their keys, so that two programs cannot wait for each other.
    private let entries: [(key: String, json: String?)]

    /// - Throws: `StoreError` with `invalidMetadata`, naming the key.
    init(_ values: [String: MetadataValue?]) throws(StoreError) {
        var entries: [(key: String, json: String?)] = []
        for (key, value) in values {
            try Self.check(key)
            entries.append((key.precomposedStringWithCanonicalMapping, try value?.json(for: key)))
        }
        self.entries = entries.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    }

    private static func check(_ key: String) throws(StoreError) {
        let count = key.precomposedStringWithCanonicalMapping.utf8.count
        if key.isEmpty { throw StoreError(.invalidMetadata, "A metadata key is empty. Give it a name.") }
        guard count <= maximumKeyLength else {
            throw StoreError(
                .invalidMetadata,
                "A metadata key has \(count) bytes, and the limit is \(maximumKeyLength). Give it a shorter name."
            )
        }
        if key.utf8.contains(0) {
            throw StoreError(.invalidMetadata, "A metadata key contains U+0000. Give it another name.")
        }
        guard !reserved.contains(key), !key.hasPrefix(reservedPrefix) else {
            throw StoreError(
                .invalidMetadata,
                "The metadata key '\(key)' is reserved for the library. Give the entry another name.")
        }
    }

    /// Sets and removes the entries, in a transaction.
    ///
    /// - Throws: `StoreError` with `notAStore` or `missingGrant`; `PostgresError`.
    func apply(in schemaName: String, on connection: Connection) throws {
        // Reading the record keeps others from exchanging the store until the transaction ends.
        guard try StoreRecord(in: schemaName, on: connection, for: .writing) != nil else {
            throw StoreSession.noStore(in: schemaName)
        }
        do {
            if try !MetadataEntryTable.exists(in: schemaName, on: connection) {
                try StoreLock.work(on: schemaName).wait(on: connection)
                try MetadataEntryTable.make(in: schemaName, on: connection)
            }
            for (key, json) in entries {
                try MetadataEntryTable.set(key, to: json, in: schemaName, on: connection)
            }
        } catch let error as PostgresError where error.sqlState == SQLState.insufficientPrivilege {
            let table = MetadataEntryTable.table(in: schemaName)
            throw StoreError(
                .missingGrant,
                "The role may not set metadata of the store in schema '\(schemaName)'. As the store's owner, run GRANT "
                    + "SELECT, INSERT, UPDATE, DELETE ON \(table) TO the role. If the store has no such table yet, set "
                    + "an entry as the owner first.",
                databaseError: error)
        }
    }
}
