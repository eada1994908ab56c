import Foundation
import HowdahModel
import HowdahSchema
import PQClient

/// Makes a store a copy of another one: removes the present one, creates the tables again, and copies the
/// rows.
struct StoreReplacement {
    let connection: Connection
    let schemaName: String
    let source: StoreSource
    /// The identity that the replaced store must have; nil for any.
    var expected: UUID?

    /// Replaces the store, in a transaction with exclusive access to the destination.
    ///
    /// - Throws: `StoreError`; `PostgresError`.
    func run() throws -> ReplacedStore {
        try checkThatSourceIsAnother()
        let schema = try StoreBelongings.ownSchema(of: source.record, in: schemaName)
        let grants = try removeOld()
        let creation = SchemaCreation(schema, includingSchema: try !schemaExists())
        let statements = creation.statements
        var rows = 0
        do {
            for statement in statements.prefix(creation.partsBeforeRows) { try run(statement) }
            for table in schema.tables {
                let columns = table.columns.filter { $0.generation == nil }.map(\.name)
                rows += try source.copy(table.name, columns, to: connection, in: schemaName)
            }
            for statement in statements.dropFirst(creation.partsBeforeRows) { try run(statement) }
            try copyBesides(schema)
        } catch let error as PostgresError where error.sqlState == SQLState.duplicateTable {
            throw StoreError(
                .notAStore,
                "The schema '\(schemaName)' has a table of another program with a name that the store needs. Nothing "
                    + "was changed. "
                    + "Choose an empty schema with StoreOptions.schemaName.", databaseError: error)
        } catch let error as PostgresError where error.sqlState == SQLState.insufficientPrivilege {
            throw StoreError(
                .missingGrant,
                "The role may not create a store in schema '\(schemaName)'. Nothing was changed. Use the owner of the "
                    + "schema.",
                databaseError: error)
        }
        let identifier = UUID()
        var record = Parameters()
        record.append(.uuid) { $0.uuid(identifier) }
        record.append(.int4) { $0.int32(StoreMetadata.formatWithoutHistory) }
        try record.append(source.record.model)
        try record.append(source.record.checksum)
        _ = try connection.query(StoreMetadata.insertion(for: schema), record, cached: false)
        try grants?.restore(in: schemaName, on: connection)
        return ReplacedStore(
            identifier: identifier, tables: schema.tables.count, rows: rows, isNew: grants == nil)
    }

    private func run(_ sql: String) throws { _ = try connection.query(sql, cached: false) }

    /// Checks that the source is another store. Its session sees this one's lock only if both are in one
    /// database.
    private func checkThatSourceIsAnother() throws {
        guard source.schemaName == schemaName,
            let process = try connection.query(
                "SELECT pg_catalog.pg_backend_pid()::pg_catalog.int8", cached: false
            )
            .map({ $0[0].int64 }).first,
            try StoreLock.open(schemaName).isHeld(by: process, on: source.connection)
        else { return }
        throw StoreError(
            .invalidOptions,
            "The source and the destination are the same store in schema '\(schemaName)'. Name another database or "
                + "schema."
        )
    }

    /// Removes the present store, and returns the rights on it; nil if there is none.
    private func removeOld() throws -> StoreGrants? {
        let found = try StoreRecord(in: schemaName, on: connection, for: .writing)
        try StoreDestruction.check(found, is: expected, in: schemaName)
        guard let old = found else { return nil }
        let belongings = try StoreBelongings(of: old, in: schemaName, on: connection)
        guard !old.format.isOverExistingTables else {
            throw StoreError(
                .notAStore,
                "The tables in schema '\(schemaName)' belong to another program and are not replaced. Choose another "
                    + "schema."
            )
        }
        let grants = try StoreGrants(of: belongings, in: schemaName, on: connection)
        try belongings.drop(on: connection)
        // What is made now belongs to the role that the store belonged to.
        try run("SET LOCAL ROLE \(SQLIdentifier.quoted(belongings.owner))")
        return grants
    }

    private func schemaExists() throws -> Bool {
        var parameters = Parameters()
        try parameters.append(schemaName)
        return try connection.query(
            "SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = $1", parameters, cached: false
        ).rowCount > 0
    }

    /// Copies the parts outside the model: metadata, the history of migrations, and the position of the
    /// sequence.
    private func copyBesides(_ schema: StoreSchema) throws {
        if try source.reading({ try MetadataEntryTable.exists(in: source.schemaName, on: $0) }) {
            _ = try source.copy(StoreSchema.entryTable, ["key", "value"], to: connection, in: schemaName)
        }
        let columns = try source.reading { try MigrationLedger.columns(in: source.schemaName, on: $0) }
        if !columns.isEmpty {
            try run(MigrationLedger.creation(in: schemaName))
            if try source.copy(MigrationLedger.name, columns, to: connection, in: schemaName) > 0 {
                let ledger = MigrationLedger.table(in: schemaName)
                try run(
                    "SELECT pg_catalog.setval(pg_catalog.pg_get_serial_sequence(\(SQLLiteral.string(ledger)), 'number'), "
                        + "(SELECT pg_catalog.max(\"number\") FROM \(ledger)))")
            }
        }
        if let last = try source.reading(source.lastNumber) {
            let sequence = SQLLiteral.string(SQLIdentifier.quoted(schemaName, schema.idSequence))
            try run("SELECT pg_catalog.setval(\(sequence)::pg_catalog.regclass, \(SQLLiteral.integer(last)))")
        }
    }
}
