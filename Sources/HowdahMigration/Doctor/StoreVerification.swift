internal import HowdahModel
internal import HowdahSchema
package import PQClient

/// Compares the tables of a store with the model that the store records.
package struct StoreVerification {
    private let connection: Connection
    private let schemaName: String

    package init(_ connection: Connection, schemaName: String = "public") {
        self.connection = connection
        self.schemaName = schemaName
    }

    /// Returns the differences between the tables and the model.
    ///
    /// - Parameter scratch: The database in which the model's tables are created and rolled back; nil for that of the store.
    /// - Throws: `MigrationError` with `notAStore` or `missingGrant`, or with `unfinished` if a deferred migration has left
    ///   steps; `PostgresError`.
    package func drift(scratch: Connection? = nil) throws -> StoreDrift {
        let found = try MigrationError.ofRecord {
            try StoreRecord(in: schemaName, on: connection, for: .reading)
        }
        guard let record = found else {
            throw MigrationError(
                .notAStore, "The schema '\(schemaName)' has no store. Check --database and --schema.")
        }
        guard !record.format.isOverExistingTables else {
            throw MigrationError(
                .notAStore,
                "The tables in schema '\(schemaName)' belong to another program, so they have no recorded "
                    + "model to compare. Open the store in a program with StoreOptions.existingTables, which compares "
                    + "the tables with its model.")
        }
        let pending = try PendingWork(connection, in: schemaName).steps().count
        guard pending == 0 else {
            throw MigrationError(
                .unfinished,
                "A deferred migration has left \(pending) step\(pending == 1 ? "" : "s"), so the tables do not match the model yet. "
                    + "Run howdah migrate finish first.")
        }
        let model = try record.readableModel()
        let actual = try StoreCatalogue.actual(schemaName, on: connection)
        do {
            return StoreDrift(
                actual,
                expected: try StoreCatalogue.expected(
                    of: model, schemaName: schemaName, on: scratch ?? connection))
        } catch let error as PostgresError where error.sqlState == SQLState.featureNotSupported {
            // A standby begins no transaction that writes.
            throw MigrationError(
                .database,
                "The server is a standby, where the model's tables cannot be created for the comparison. Connect to the primary "
                    + "server, or give --scratch the URL of a database that allows new schemas.",
                databaseError: error)
        }
    }
}
