import HowdahModel
import PQClient

/// A lock of a table that keeps other sessions from writing or using the table, also if none waits for it now. A session that
/// waits for such a lock keeps out those that ask later, too.
struct HeldLock: Sendable {
    let table: String
    /// The mode in the words of SQL.
    let mode: String
    /// The process of the session; nil for a prepared transaction.
    let process: Int32?
    let application: String
    let role: String
    /// The time at which the transaction began, in UTC.
    let began: String
    let state: String
    /// Indicates whether the session has the lock; it waits for it otherwise.
    let isGranted: Bool

    /// Reads the locks of the tables of a schema; one statement.
    static func all(in schemaName: String, on connection: Connection) throws -> [HeldLock] {
        var parameters = Parameters()
        try parameters.append(schemaName)
        return try connection.query(sql, parameters, cached: false).map { row in
            HeldLock(
                table: row[0].string(), mode: Self.words(row[1].string()),
                process: row[2].isNull ? nil : row[2].int32, application: row[3].string(),
                role: row[4].string(), began: row[5].string(), state: row[6].string(),
                isGranted: row[7].isTrue)
        }
    }

    private static let sql = """
        SELECT c.relname::pg_catalog.text, l.mode, l.pid, \
        coalesce(nullif(a.application_name, ''), a.backend_type, ''), \
        coalesce(a.usename::pg_catalog.text, ''), \
        coalesce(pg_catalog.to_char(a.xact_start, 'YYYY-MM-DD HH24:MI:SS'), ''), coalesce(a.state, ''), l.granted \
        FROM pg_catalog.pg_locks l \
        JOIN pg_catalog.pg_database d ON d.oid = l.database AND d.datname = pg_catalog.current_database() \
        JOIN pg_catalog.pg_class c ON c.oid = l.relation AND c.relkind IN ('r', 'p') \
        JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace AND n.nspname = $1 \
        LEFT JOIN pg_catalog.pg_stat_activity a ON a.pid = l.pid \
        WHERE l.locktype = 'relation' AND l.mode IN ('ShareUpdateExclusiveLock', 'ShareLock', \
        'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock') \
        ORDER BY NOT l.granted, l.mode <> 'AccessExclusiveLock', c.relname, l.pid LIMIT 101
        """

    /// Returns the words of SQL for a mode such as `AccessExclusiveLock`.
    private static func words(_ mode: String) -> String {
        mode.replacing("Lock", with: "").reduce(into: "") { text, letter in
            text += letter.isUppercase && !text.isEmpty ? " \(letter)" : letter.uppercased()
        }
    }

    /// The locks as a table.
    static func html(_ locks: [HeldLock]) -> HTML {
        if locks.isEmpty {
            return "<p id=\"locks\">No session has a table of the store locked against others.</p>"
        }
        let rows = locks.prefix(100).map { lock -> [HTML] in
            [
                HTML(lock.table), HTML(lock.isGranted ? lock.mode : lock.mode + ", waits for it"),
                lock.process.map { "\($0)" } ?? "a prepared transaction", HTML(lock.application),
                HTML(lock.role), HTML(lock.began), HTML(lock.state),
            ]
        }
        let more: HTML = locks.count > 100 ? "<p class=\"note\">There are more, which are not shown.</p>" : ""
        return """
            <h2 id="locks">Locked tables</h2>
            <p class="note">With ACCESS EXCLUSIVE, no other session can use the table; with the others, none can \
            write or change it. A session that waits for such a lock keeps out those that come after it. A lock ends with \
            its transaction. To end a session with its transaction, run \
            <code>SELECT pg_catalog.pg_terminate_backend(</code>process<code>)</code> with a role that may do so.</p>
            \(TableMarkup(
                caption: "Tables that a session has locked against others, or waits to lock",
                heads: ["Table", "Lock", "Process", "Application", "Role", "Transaction began (UTC)", "State"],
                rows: rows
            ).html)\(more)
            """
    }
}
