package import HowdahMigration
package import HowdahModel
package import HowdahRuntime
package import PQClient

extension PersistentContainer {
    /// Runs `body` with the stages of ``StoreOptions/stagedMigrationManager``, whose handlers use the same
    /// session.
    ///
    /// If the store does not exist, the stages are nil. The call blocks.
    /// - Throws: `StoreError` if the database cannot be reached; `MigrationError` of the stages; the error of
    ///   `body`.
    package static func withMigrationPath<T>(
        _ url: String, model: ManagedObjectModel, options: StoreOptions,
        _ body: (Connection, MigrationPath?) throws -> T
    ) throws -> T {
        let opening = try StoreOpening(url, model: model, options: options)
        defer {
            _ = opening.pool.closeAndWait(drainingFor: .zero)
            opening.workers.shutdown()
        }
        return try opening.withConnection { connection in
            let (record, rows) = try opening.storeRecord(connection)
            let path = try record.flatMap { record in
                try options.stagedMigrationManager?.path(
                    StageContexts(record, rows, of: opening))
            }
            return try body(connection, path)
        }
    }
}
