import PQClient

/// A statement of this database by the server's own statistics, `pg_stat_statements`.
struct CostlyStatement: Sendable {
    /// The label and the line of the request that sent it; empty without a tag.
    let site: String
    let calls: Int64
    let rows: Int64
    let totalMilliseconds: Double
    let meanMilliseconds: Double
    let text: String

    /// Reads the statements that took most of the time; nil without the extension.
    static func all(on connection: Connection) throws -> [CostlyStatement]? {
        let schema = try connection.query(
            "SELECT n.nspname::pg_catalog.text FROM pg_catalog.pg_extension e "
                + "JOIN pg_catalog.pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'pg_stat_statements'",
            cached: false
        ).map { $0[0].string() }.first
        guard let schema else { return nil }
        let view = SQLIdentifier.quoted(schema, "pg_stat_statements")
        return try connection.query(
            """
            SELECT coalesce(pg_catalog.substring(s.query, '/\\* (.*?) \\*/'), ''), s.calls, s.rows, \
            s.total_exec_time, s.mean_exec_time, \(StatementSecret.shown("s.query")) \
            FROM \(view) s JOIN pg_catalog.pg_database d ON d.oid = s.dbid \
            WHERE d.datname = pg_catalog.current_database() ORDER BY s.total_exec_time DESC LIMIT 20
            """, cached: false
        ).map { row in
            CostlyStatement(
                site: row[0].string(), calls: row[1].int64, rows: row[2].int64,
                totalMilliseconds: row[3].double, meanMilliseconds: row[4].double,
                text: row[5].isNull ? "" : row[5].string())
        }
    }
}
