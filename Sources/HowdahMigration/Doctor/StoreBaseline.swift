internal import Foundation
package import HowdahModel
internal import HowdahSchema
package import PQClient

/// Makes a store of tables that are there already and are what a model makes: restored without the store's own tables,
/// or made by a script.
package struct StoreBaseline {
    private let connection: Connection
    private let model: ManagedObjectModel
    private let schemaName: String
    private let lockBudget: Duration

    /// On a session of its own, which nothing else uses meanwhile.
    package init(
        _ connection: Connection, model: ManagedObjectModel, schemaName: String = "public",
        lockBudget: Duration = .seconds(60)
    ) {
        self.connection = connection
        self.model = model
        self.schemaName = schemaName
        self.lockBudget = lockBudget
    }

    /// Where the tables are not what the model makes; the store is only made where nothing is.
    ///
    /// - Parameter scratch: where to make the model's tables for comparison, and roll back; the database itself where nil.
    /// - Throws: `MigrationError` with `notAStore` where there is a store already; `PostgresError`; `ModelError`.
    package func drift(scratch: Connection? = nil) throws -> StoreDrift {
        if let record = try StoreRecord(in: schemaName, on: connection, for: .writing) {
            throw MigrationError(
                .notAStore,
                model.hasChecksum(record.checksum)
                    ? "The schema '\(schemaName)' already has a store of this model. Nothing was changed."
                    : "The schema '\(schemaName)' already has a store, of another model (\(record.checksum)). Nothing was changed. "
                        + "To migrate the store to this model, run howdah migrate apply.")
        }
        return StoreDrift(
            try StoreCatalogue.actual(schemaName, on: connection),
            expected: try StoreCatalogue.expected(
                of: model, schemaName: schemaName, on: scratch ?? connection))
    }

    /// Writes the store's own tables and records, in one transaction; call it where ``drift(scratch:)`` found no differences.
    ///
    /// New ids begin after the greatest that there is.
    /// - Throws: `MigrationError`; nothing is changed then.
    package func adopt() throws {
        try MigrationError.wrapping {
            let lock = MigrationLock(connection: connection, schemaName: schemaName)
            try lock.take(within: lockBudget)
            defer { lock.release() }
            let schema = try StoreSchema(model, schemaName: schemaName)
            try connection.begin()
            do {
                try record(schema)
                try connection.commit()
            } catch {
                // The error that led here is the one to report.
                try? connection.rollback()
                throw error
            }
        }
    }

    private func record(_ schema: StoreSchema) throws {
        try run("SET LOCAL search_path = pg_catalog, pg_temp")
        let sequence = try IdentifierSequence(of: schema, on: connection)
        let name = SQLIdentifier.quoted(schemaName, schema.idSequence)
        if sequence.last == nil { try run("CREATE SEQUENCE \(name) AS bigint") }
        if sequence.isBehind {
            try run(
                "SELECT pg_catalog.setval(\(SQLLiteral.string(name))::pg_catalog.regclass, "
                    + "\(SQLLiteral.integer(sequence.greatestID)))")
        }
        // A script, or whoever emptied it, may have left the table without its row.
        try run(
            StoreMetadata.creation(of: schema).replacing("CREATE TABLE", with: "CREATE TABLE IF NOT EXISTS"))
        try run(StoreMetadata.widening(of: schema))
        try run(
            SaveTokenTable.creation(of: schema).replacing("CREATE TABLE", with: "CREATE TABLE IF NOT EXISTS"))
        try run(MetadataEntryTable.creation(in: schemaName, ifMissing: true))
        var row = Parameters()
        row.append(.uuid) { $0.uuid(UUID()) }
        row.append(.int4) { $0.int32(StoreMetadata.formatWithoutHistory) }
        try row.append(model.canonicalJSON)
        try row.append(model.versionChecksum)
        _ = try connection.query(StoreMetadata.insertion(for: schema), row, cached: false)
        try MigrationLedger.add(
            from: model.versionChecksum, to: model.versionChecksum, label: "baseline",
            steps: #"{"steps":[]}"#,
            in: schemaName, on: connection)
    }

    private func run(_ sql: String) throws { _ = try connection.query(sql, cached: false) }
}
