internal import HowdahSchema
internal import PQClient

extension PendingWork {
    /// What builds of pending indexes left that were cut off: of no use, and kept up with every write until the next build
    /// begins by dropping it.
    ///
    /// - Throws: `PostgresError`; `DecodingError` where another version of the library left the work.
    package func halfBuiltIndexes() throws -> [String] {
        let names = Set(try steps().compactMap(\.indexName))
        if names.isEmpty { return [] }
        var schema = Parameters()
        try schema.append(schemaName)
        return try connection.query(
            "SELECT c.relname::pg_catalog.text FROM pg_catalog.pg_index i "
                + "JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid "
                + "JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
                + "WHERE n.nspname = $1 AND NOT (i.indisvalid AND i.indisready) ORDER BY 1", schema,
            cached: false
        ).map { $0[0].string() }.filter(names.contains)
    }
}

extension PendingMigrationStep {
    /// Of a step that builds one.
    var indexName: String? { if case .index(let name) = step.work { name } else { nil } }
}
