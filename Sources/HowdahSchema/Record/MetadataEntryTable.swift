internal import HowdahModel
package import PQClient

/// The table with the metadata that programs set, a row for each key.
///
/// A store has it from the beginning. Stores that were made before there was such a table get it with the first entry.
/// Values are `json` and not `jsonb`, which would spell numbers in another way.
package enum MetadataEntryTable {
    /// Creates the table.
    package static func creation(in namespace: String, ifMissing: Bool = false) -> String {
        """
        CREATE TABLE \(ifMissing ? "IF NOT EXISTS " : "")\(table(in: namespace)) (
            "key" pg_catalog.text COLLATE pg_catalog."C" NOT NULL,
            "value" pg_catalog.json NOT NULL,
            CONSTRAINT "_howdah_metadata_pkey" PRIMARY KEY ("key")
        )
        """
    }

    /// Indicates whether a schema has the table.
    ///
    /// - Throws: `PostgresError`.
    package static func exists(in namespace: String, on connection: Connection) throws -> Bool {
        var parameters = Parameters()
        try parameters.append(namespace)
        try parameters.append(StoreSchema.entryTable)
        return try connection.query(
            "SELECT 1 FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
                + "WHERE n.nspname = $1 AND c.relname = $2 AND c.relkind = 'r'", parameters, cached: false,
            about: StatementSubject(.select)
        ).rowCount > 0
    }

    /// Returns all keys with their values as JSON.
    ///
    /// - Throws: `PostgresError`.
    package static func entries(
        in namespace: String, on connection: Connection
    ) throws -> [(key: String, json: String)] {
        guard try exists(in: namespace, on: connection) else { return [] }
        return try connection.query(
            "SELECT \"key\", \"value\"::pg_catalog.text FROM \(table(in: namespace)) ORDER BY \"key\"",
            cached: false, about: StatementSubject(.select)
        ).map { ($0[0].string(), $0[1].string()) }
    }

    /// Stores a value under a key; removes the key if the value is nil.
    ///
    /// - Throws: `PostgresError`.
    package static func set(
        _ key: String, to json: String?, in namespace: String, on connection: Connection
    ) throws {
        var parameters = Parameters()
        try parameters.append(key)
        guard let json else {
            _ = try connection.query(
                "DELETE FROM \(table(in: namespace)) WHERE \"key\" = $1", parameters, cached: false,
                about: StatementSubject(.delete, table(in: namespace)))
            return
        }
        try parameters.append(json)
        _ = try connection.query(
            "INSERT INTO \(table(in: namespace)) (\"key\", \"value\") "
                + "VALUES ($1, CAST(CAST($2 AS pg_catalog.text) AS pg_catalog.json)) "
                + "ON CONFLICT (\"key\") DO UPDATE SET \"value\" = EXCLUDED.\"value\"", parameters,
            cached: false,
            about: StatementSubject(.insert, table(in: namespace)))
    }

    /// Makes the table in a store that has none, and lets the readers of the store's record read it.
    ///
    /// - Throws: `PostgresError`.
    package static func make(in namespace: String, on connection: Connection) throws {
        _ = try connection.query(
            creation(in: namespace, ifMissing: true), cached: false, about: StatementSubject(.open))
        try StoreReaders(connection: connection, schemaName: namespace).grant(table(in: namespace))
    }

    /// The table's name, quoted and with its schema.
    package static func table(in namespace: String) -> String {
        SQLIdentifier.quoted(namespace, StoreSchema.entryTable)
    }
}
