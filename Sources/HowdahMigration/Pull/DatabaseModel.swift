package import HowdahModel
internal import HowdahSchema
package import PQClient

/// The model of a database: the one its store was made with, or one made of its tables.
package struct DatabaseModel: Hashable, Sendable {
    /// The model.
    package let model: ManagedObjectModel
    /// What the tables have and the model cannot say; empty for a store.
    package let notes: [String]
    /// Whether the model is the one recorded in a store.
    package let isRecorded: Bool

    /// Connects, reads the catalog in one or two statements, and disconnects; blocks meanwhile.
    ///
    /// - Throws: `PostgresError`; ``ModelError`` where the tables make no sound model; ``PullError`` where there is no
    ///   such schema.
    package init(_ url: String, schema schemaName: String = "public") throws {
        let connection = try Connection(ConnectionConfiguration(url))
        defer { connection.close() }
        try self.init(connection, schema: schemaName)
    }

    package init(_ connection: Connection, schema schemaName: String) throws {
        let schema = try DatabaseSchema(named: schemaName, on: connection)
        guard schema.exists else {
            throw PullError(
                "The database has no schema '\(schemaName)'. Name an existing schema with --schema. Use \\dn in psql to list "
                    + "the schemas.")
        }
        if schema.tables.contains(where: { $0.name == StoreSchema.metadataTable }) {
            let record = try StoreRecord(in: schemaName, on: connection, for: .reading)
            // Over tables of another program these are what counts, and not the model they were opened with.
            if let record, !record.format.isOverExistingTables {
                model = try ManagedObjectModel(canonicalJSON: record.model)
                notes = []
                isRecorded = true
                return
            }
        }
        let pulled = try PulledModel(schema)
        model = pulled.model
        notes =
            schema.tables.isEmpty
            ? [
                "The schema \(schemaName) has no tables, or the role cannot see them. Name another schema with --schema, or connect as another role."
            ] : pulled.notes
        isRecorded = false
    }
}
