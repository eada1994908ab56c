package import HowdahModel
package import PQClient

/// The sequence that gives new objects their ids, and whether it is behind those that there are.
package struct IdentifierSequence: Hashable, Sendable {
    /// Nil where there is no sequence.
    package let last: Int64?
    /// The greatest id of all tables; 0 where there are no rows.
    package let greatestID: Int64

    package var isBehind: Bool { (last ?? 0) < greatestID }

    /// Reads both; two or three round trips, each table by its index.
    ///
    /// - Throws: `PostgresError`.
    package init(of schema: StoreSchema, on connection: Connection) throws {
        var parameters = Parameters()
        try parameters.append(schema.schemaName)
        try parameters.append(schema.idSequence)
        let found = try connection.query(
            "SELECT 1 FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
                + "WHERE n.nspname = $1 AND c.relname = $2 AND c.relkind = 'S'", parameters, cached: false)
        let sequence = SQLIdentifier.quoted(schema.schemaName, schema.idSequence)
        last =
            try found.rowCount == 0
            ? nil
            : connection.query(
                "SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END FROM \(sequence)",
                cached: false
            ).map { $0[0].int64 }.first
        let queries = schema.tables.compactMap { table in
            table.columns.first(where: \.isIDSequenceDefault).map {
                "(SELECT pg_catalog.max(\(SQLIdentifier.quoted($0.name))) AS id FROM "
                    + "\(SQLIdentifier.quoted(schema.schemaName, table.name)))"
            }
        }
        greatestID =
            try queries.isEmpty
            ? 0
            : connection.query(
                "SELECT COALESCE(pg_catalog.max(t.id), 0)::pg_catalog.int8 FROM ("
                    + queries.joined(separator: " UNION ALL ") + ") AS t", cached: false
            ).map { $0[0].int64 }.first ?? 0
    }
}
