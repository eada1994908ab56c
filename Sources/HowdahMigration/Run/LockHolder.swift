internal import HowdahModel
internal import HowdahSchema
internal import PQClient

/// A session, or a prepared transaction, that has a lock which a migration needs.
struct LockHolder: Hashable, Sendable, CustomStringConvertible {
    /// Its process, or the name of a prepared transaction.
    let session: String
    /// Who it is, since when, and what it does, in words.
    let description: String

    /// Who keeps others from locking a table.
    ///
    /// - Parameter level: how it is to be locked.
    /// - Throws: `PostgresError`.
    static func ofTable(
        _ table: String, in schemaName: String, against level: LockLevel, on connection: Connection
    ) throws -> [LockHolder] {
        var parameters = Parameters()
        try parameters.append(schemaName)
        try parameters.append(table)
        parameters.append(level == .accessExclusive)
        parameters.append(level == .shareUpdateExclusive)
        return try all(
            """
            JOIN pg_catalog.pg_class c ON c.oid = l.relation
            JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
            """,
            where: """
                l.locktype = 'relation' AND n.nspname = $1 AND c.relname = $2
                AND ($3 OR l.mode NOT IN ('AccessShareLock', 'RowShareLock'))
                AND NOT ($4 AND l.mode = 'RowExclusiveLock')
                """, parameters, on: connection)
    }

    /// Who has the advisory lock whose key is the hash of `key`.
    ///
    /// - Throws: `PostgresError`.
    static func ofAdvisoryLock(_ key: Parameters, on connection: Connection) throws -> [LockHolder] {
        try all(
            "CROSS JOIN (SELECT pg_catalog.hashtextextended($1, 0) AS key) k",
            where: """
                l.locktype = 'advisory' AND l.objsubid = 1
                AND l.classid::pg_catalog.int8 = (k.key >> 32) & 4294967295
                AND l.objid::pg_catalog.int8 = k.key & 4294967295
                """, key, on: connection)
    }

    /// Who has locked a table of a schema so that nobody else can look at it.
    ///
    /// - Throws: `PostgresError`.
    static func ofAnyTable(in schemaName: String, on connection: Connection) throws -> [LockHolder] {
        var parameters = Parameters()
        try parameters.append(schemaName)
        return try all(
            """
            JOIN pg_catalog.pg_class c ON c.oid = l.relation
            JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
            """,
            where: "l.locktype = 'relation' AND n.nspname = $1 AND l.mode = 'AccessExclusiveLock'",
            parameters, on: connection)
    }

    /// Who keeps a session waiting, where that is in a statement with this text.
    ///
    /// - Throws: `PostgresError`.
    static func blocking(
        session: Int32, in text: String, on connection: Connection
    ) throws -> [LockHolder] {
        var parameters = Parameters()
        parameters.append(.int4) { $0.int32(session) }
        try parameters.append(text)
        return try all(
            "JOIN pg_catalog.pg_stat_activity w ON w.pid = $1",
            where: """
                l.pid = ANY (pg_catalog.pg_blocking_pids($1)) AND pg_catalog.strpos(w.query, $2) > 0
                """, parameters, on: connection)
    }

    /// What another role's sessions do is not shown to everyone; a prepared transaction has no session.
    private static func all(
        _ join: String, where condition: String, _ parameters: Parameters, on connection: Connection
    ) throws -> [LockHolder] {
        let result = try connection.query(
            """
            SELECT DISTINCT l.pid::pg_catalog.int8, COALESCE(NULLIF(a.application_name, ''), a.backend_type, ''),
                CASE WHEN a.backend_start IS NULL THEN '' ELSE COALESCE(a.client_addr::pg_catalog.text, 'the same host') END,
                COALESCE(a.state, ''), COALESCE(a.query_start::pg_catalog.text, ''), COALESCE(p.gid, ''),
                COALESCE(pg_catalog.substring(a.query, '^/\\* (\(StagePosition.mark) .*?) \\*/'), '')
            FROM pg_catalog.pg_locks l \(join)
            LEFT JOIN pg_catalog.pg_stat_activity a ON a.pid = l.pid
            LEFT JOIN pg_catalog.pg_prepared_xacts p
                ON l.pid IS NULL AND l.virtualtransaction = '-1/' || p.transaction::pg_catalog.text
            WHERE l.granted AND l.pid IS DISTINCT FROM pg_catalog.pg_backend_pid()
                AND (l.database IS NULL OR l.database = (SELECT oid FROM pg_catalog.pg_database WHERE datname = pg_catalog.current_database()))
                AND \(condition)
            ORDER BY 1
            """, parameters, cached: false)
        return result.map { row in
            if row[0].isNull {
                let name = "the prepared transaction '\(row[5].string())'"
                return LockHolder(session: name, description: name)
            }
            var parts = ["session \(row[0].int64)"]
            if !row[1].string().isEmpty { parts.append("of \(row[1].string())") }
            if !row[2].string().isEmpty { parts.append("from \(row[2].string())") }
            if !row[3].string().isEmpty { parts.append("(\(row[3].string()))") }
            if !row[4].string().isEmpty { parts.append("since its query of \(row[4].string())") }
            let step = row[6].string()
            return LockHolder(
                session: "\(row[0].int64)",
                description: parts.joined(separator: " ") + (step.isEmpty ? "" : "; \(step)"))
        }
    }
}
