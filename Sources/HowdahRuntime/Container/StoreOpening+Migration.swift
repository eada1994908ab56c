import HowdahMigration
import HowdahModel
import PQClient

extension StoreOpening {
    /// Migrates the store in the schema where it was made with another model.
    ///
    /// - Throws: `StoreError.migrationFailed`; the store is then as it was.
    func migrate(_ connection: Connection) throws {
        guard let record = try storeRecord(connection).0, record.checksum != model.versionChecksum else {
            return
        }
        var migration = MigrationOptions()
        migration.confirmedDrops = options.confirmedDrops
        let runner = MigrationRunner(
            connection, to: model, schemaName: options.schemaName, options: migration)
        do {
            _ = try runner.apply()
        } catch let error as MigrationError {
            throw StoreError(.migrationFailed, error.message, underlying: error.underlying)
        }
    }
}
