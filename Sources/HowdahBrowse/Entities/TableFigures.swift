import HowdahModel
import PQClient

/// The figures that the server keeps about a table; estimates, which cost no scan.
struct TableFigures: Sendable {
    /// The estimated number of rows; nil if the table was never analyzed.
    let rows: Int?
    /// The size in bytes, with indexes and long values; nil if another session has the table locked.
    let bytes: Int?
    /// The time at which the estimates were made.
    let analyzedAt: String?
    /// The estimated share of each entity of a hierarchy, by stored name.
    let shares: [String: Double]

    /// Reads the figures of all tables of a schema, by name, and the mark of its store; one statement.
    ///
    /// - Parameter hasRecord: Indicates whether the schema has a store.
    static func all(
        in schemaName: String, hasRecord: Bool, on connection: Connection
    ) throws -> (tables: [String: TableFigures], mark: RecordMark?) {
        let mark = hasRecord ? RecordMark.selection(in: schemaName) : "NULL::pg_catalog.text"
        var parameters = Parameters()
        try parameters.append(schemaName)
        try parameters.append(StoreSchema.entityColumn)
        let result = try connection.query(
            """
            WITH locked AS MATERIALIZED (SELECT coalesce(i.indrelid, l.relation) AS oid FROM pg_catalog.pg_locks l \
            JOIN pg_catalog.pg_database d ON d.oid = l.database AND d.datname = pg_catalog.current_database() \
            LEFT JOIN pg_catalog.pg_index i ON i.indexrelid = l.relation WHERE l.locktype = 'relation' \
            AND l.mode = 'AccessExclusiveLock') \
            SELECT c.relname::pg_catalog.text, c.reltuples::pg_catalog.int8, \
            CASE WHEN c.oid NOT IN (SELECT k.oid FROM locked k) THEN pg_catalog.pg_total_relation_size(c.oid) END, \
            pg_catalog.to_char(greatest(t.last_analyze, t.last_autoanalyze), 'YYYY-MM-DD HH24:MI'), \
            pg_catalog.array_to_string(s.most_common_vals::pg_catalog.text::pg_catalog.text[], pg_catalog.chr(31)), \
            pg_catalog.array_to_string(s.most_common_freqs, pg_catalog.chr(31)), \(mark) \
            FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
            LEFT JOIN pg_catalog.pg_stat_all_tables t ON t.relid = c.oid \
            LEFT JOIN pg_catalog.pg_stats s ON s.schemaname = n.nspname AND s.tablename = c.relname \
            AND s.attname = $2 AND NOT s.inherited \
            WHERE n.nspname = $1 AND c.relkind IN ('r', 'p')
            """, parameters, cached: false)
        let rows = result.map { row in
            let count = row[1].int64
            return (
                row[0].string(),
                TableFigures(
                    rows: count < 0 ? nil : Int(count), bytes: row[2].isNull ? nil : Int(row[2].int64),
                    analyzedAt: row[3].isNull ? nil : row[3].string(),
                    shares: Self.shares(
                        row[4].isNull ? "" : row[4].string(), row[5].isNull ? "" : row[5].string()))
            )
        }
        let text = result.rowCount > 0 && !result.row(0)[6].isNull ? result.row(0)[6].string() : ""
        return (Dictionary(rows, uniquingKeysWith: { first, _ in first }), RecordMark(text))
    }

    private static func shares(_ names: String, _ frequencies: String) -> [String: Double] {
        let pairs = zip(
            names.split(separator: "\u{1F}").map(String.init),
            frequencies.split(separator: "\u{1F}").map { Double($0) ?? 0 })
        return Dictionary(Array(pairs), uniquingKeysWith: { first, _ in first })
    }
}
