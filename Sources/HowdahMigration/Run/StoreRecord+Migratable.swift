internal import HowdahModel
internal import HowdahSchema
internal import PQClient

extension StoreRecord {
    /// The record of a store that this library may migrate.
    ///
    /// - Throws: `MigrationError` with `notAStore`; `PostgresError`.
    static func migratable(in schemaName: String, on connection: Connection) throws -> StoreRecord {
        guard let record = try StoreRecord(in: schemaName, on: connection, for: .writing) else {
            throw MigrationError(
                .notAStore,
                "The schema '\(schemaName)' has no store. Create a store with howdah migrate apply, or with PersistentContainer.open in a program."
            )
        }
        if record.format.isOverExistingTables {
            throw MigrationError(
                .notAStore,
                "The tables in schema '\(schemaName)' belong to another program. Migrate the tables with that program."
            )
        }
        return record
    }

    /// The model that the store has.
    ///
    /// - Throws: `MigrationError` with `notAStore`.
    func migratableModel() throws(MigrationError) -> ManagedObjectModel {
        let stored = try readableModel()
        guard stored.versionChecksum == checksum else {
            throw MigrationError(
                .notAStore,
                "The store records the checksum \(checksum) for its model, but the recorded model has the checksum "
                    + "\(stored.versionChecksum). The record was changed. Restore the row of \(StoreSchema.metadataTable) from a backup."
            )
        }
        return stored
    }

    /// The model that the store records, with any checksum.
    ///
    /// - Throws: `MigrationError` with `notAStore`.
    func readableModel() throws(MigrationError) -> ManagedObjectModel {
        do {
            return try ManagedObjectModel(canonicalJSON: model)
        } catch {
            throw MigrationError(
                .notAStore,
                "The model that the store records cannot be read (\(error)). Restore the row of \(StoreSchema.metadataTable) "
                    + "from a backup."
            )
        }
    }
}
