import PQClient

/// A session of the store's database, as the server reports it.
struct ServerSession: Sendable {
    let process: Int32
    let application: String
    let role: String
    let state: String
    let wait: String
    let transactionAge: String
    let statementAge: String
    /// The time at which the session began, in UTC.
    let began: String
    let statement: String
    /// The sessions that it waits for, with 0 for a prepared transaction; each once.
    let blockers: [Int32]

    /// Reads the sessions of this database; one statement.
    static func all(on connection: Connection) throws -> [ServerSession] {
        try connection.query(
            """
            SELECT a.pid, coalesce(a.application_name, ''), coalesce(a.usename::pg_catalog.text, ''), \
            coalesce(a.state, ''), coalesce(a.wait_event_type || ': ' || a.wait_event, ''), \
            coalesce(pg_catalog.date_trunc('second', pg_catalog.clock_timestamp() - a.xact_start)::pg_catalog.text, ''), \
            coalesce(pg_catalog.date_trunc('second', pg_catalog.clock_timestamp() - a.query_start)::pg_catalog.text, ''), \
            coalesce(\(StatementSecret.shown("a.query")), ''), \
            pg_catalog.array_to_string(pg_catalog.pg_blocking_pids(a.pid), ','), \
            coalesce(pg_catalog.to_char(a.backend_start, 'YYYY-MM-DD HH24:MI:SS'), '') \
            FROM pg_catalog.pg_stat_activity a \
            WHERE a.datname = pg_catalog.current_database() AND a.pid <> pg_catalog.pg_backend_pid() \
            ORDER BY a.xact_start NULLS LAST, a.pid LIMIT 500
            """, cached: false
        ).map { row in
            ServerSession(
                process: row[0].int32, application: row[1].string(), role: row[2].string(),
                state: row[3].string(), wait: row[4].string(), transactionAge: row[5].string(),
                statementAge: row[6].string(), began: row[9].string(), statement: row[7].string(),
                blockers: Set(row[8].string().split(separator: ",").compactMap { Int32($0) }).sorted())
        }
    }
}
