internal import HowdahModel
internal import HowdahSchema
internal import PQClient

extension StoreRecord {
    /// The record of a store that this library may migrate.
    ///
    /// - Throws: `MigrationError` with `notAStore`; `PostgresError`.
    static func migratable(in schemaName: String, on connection: Connection) throws -> StoreRecord {
        guard let record = try StoreRecord(in: schemaName, on: connection) else {
            throw MigrationError(
                .notAStore,
                "There is no store in schema '\(schemaName)'; howdah migrate apply makes one, and so does opening it with the model."
            )
        }
        if record.format.isOverExistingTables {
            throw MigrationError(
                .notAStore,
                "The tables in schema '\(schemaName)' are another program's, which migrates them itself.")
        }
        if let refusal = record.format.refusal(in: schemaName) { throw MigrationError(.notAStore, refusal) }
        return record
    }

    /// The model that the store has.
    ///
    /// - Throws: `MigrationError` with `notAStore`.
    func migratableModel() throws(MigrationError) -> ManagedObjectModel {
        let stored: ManagedObjectModel
        do {
            stored = try ManagedObjectModel(canonicalJSON: model)
        } catch {
            throw MigrationError(
                .notAStore, "The model that the store was made with cannot be read: \(error)")
        }
        guard stored.versionChecksum == checksum else {
            throw MigrationError(
                .notAStore,
                "The store's record says that its model has the checksum \(checksum), but the model in it has "
                    + "\(stored.versionChecksum): somebody altered it. Restore it from a backup.")
        }
        return stored
    }
}
