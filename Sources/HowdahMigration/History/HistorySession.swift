internal import PQClient

/// A session on the store's database, as the server shows it.
package struct HistorySession: Hashable, Sendable, Codable {
    /// The server process.
    package let process: Int64
    /// The name of the program; empty if it has none.
    package let application: String
    /// The address of the program; empty for a local one, and if the role may not see it.
    package let address: String
    /// The role.
    package let role: String
    /// The time at which the session began; empty if the role may not see it.
    package let began: String

    /// Returns all sessions of programs except this one.
    static func all(on connection: Connection) throws -> [HistorySession] {
        try connection.query(
            """
            SELECT a.pid::pg_catalog.int8, coalesce(a.application_name, ''), coalesce(pg_catalog.host(a.client_addr), ''),
                coalesce(a.usename::pg_catalog.text, ''), coalesce(a.backend_start::pg_catalog.text, '')
            FROM pg_catalog.pg_stat_activity a WHERE a.datname = pg_catalog.current_database()
                AND a.pid <> pg_catalog.pg_backend_pid()
                -- Without pg_read_all_stats, most columns of other roles' sessions are NULL.
                AND (a.backend_type = 'client backend' OR a.backend_type IS NULL AND a.usename IS NOT NULL)
                ORDER BY a.backend_start, a.pid
            """, cached: false
        ).map {
            HistorySession(
                process: $0[0].int64, application: $0[1].string(), address: $0[2].string(),
                role: $0[3].string(),
                began: $0[4].string())
        }
    }
}
