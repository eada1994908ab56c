package import HowdahMigration
package import HowdahModel
package import HowdahRuntime
package import PQClient

extension PersistentContainer {
    /// Runs `body` with the stages of ``StoreOptions/stagedMigrationManager``, their handlers ready to run on the session that
    /// it is given; nil for the stages where there is no store.
    ///
    /// Blocks.
    /// - Throws: `StoreError` where the database cannot be reached; `MigrationError` of the stages; what `body` throws.
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
