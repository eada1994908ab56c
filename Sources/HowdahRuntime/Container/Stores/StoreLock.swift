import HowdahModel
import PQClient

/// An advisory lock on a store, taken until the end of a transaction.
struct StoreLock {
    private let key: String

    /// Returns the lock for creating, migrating, destroying or replacing a store.
    static func work(on schemaName: String) -> StoreLock { StoreLock(key: "howdah:\(schemaName)") }

    /// Returns the lock that sessions of open containers share.
    static func open(_ schemaName: String) -> StoreLock { StoreLock(key: StoreMark.key(of: schemaName)) }

    /// Returns the lock at which sessions wait before they share the one of ``open(_:)``.
    static func gate(of schemaName: String) -> StoreLock { StoreLock(key: StoreMark.gateKey(of: schemaName)) }

    private var parameters: Parameters {
        get throws {
            var parameters = Parameters()
            try parameters.append(key)
            return parameters
        }
    }

    /// Waits for the lock, and takes it exclusively.
    ///
    /// - Throws: `PostgresError`.
    func wait(on connection: Connection) throws {
        _ = try connection.query(
            "SELECT pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended($1, 0))", parameters,
            cached: false)
    }

    /// Takes the lock exclusively if no other session has it; does not wait.
    ///
    /// - Throws: `PostgresError`.
    func take(on connection: Connection) throws -> Bool {
        try connection.query(
            "SELECT pg_catalog.pg_try_advisory_xact_lock(pg_catalog.hashtextextended($1, 0))", parameters,
            cached: false
        ).scalar { $0.isTrue } ?? false
    }

    private static let holders = """
        FROM pg_catalog.pg_locks l CROSS JOIN (SELECT pg_catalog.hashtextextended($1, 0) AS key) k
        LEFT JOIN pg_catalog.pg_stat_activity a ON a.pid = l.pid
        WHERE l.locktype = 'advisory' AND l.objsubid = 1 AND l.granted AND l.pid IS DISTINCT FROM pg_catalog.pg_backend_pid()
            AND l.database = (SELECT d.oid FROM pg_catalog.pg_database d WHERE d.datname = pg_catalog.current_database())
            AND l.classid::pg_catalog.int8 = (k.key >> 32) & 4294967295
            AND l.objid::pg_catalog.int8 = k.key & 4294967295
        """

    /// Returns the sessions that have the lock, in words.
    ///
    /// - Throws: `PostgresError`.
    func holders(on connection: Connection) throws -> [String] {
        try connection.query(
            """
            SELECT DISTINCT l.pid::pg_catalog.int8, COALESCE(a.application_name, ''),
                COALESCE(a.client_addr::pg_catalog.text, ''), COALESCE(a.state, '') \(Self.holders) ORDER BY 1
            """, parameters, cached: false
        ).map { row in
            let (name, address, state) = (row[1].string(), row[2].string(), row[3].string())
            return "session \(row[0].int64)" + (name.isEmpty ? "" : " of \(name)")
                + (address.isEmpty ? "" : " from \(address)") + (state.isEmpty ? "" : " (\(state))")
        }
    }

    /// Returns the first of the sessions, as part of a sentence; empty if there are none.
    static func list(_ holders: [String]) -> String {
        guard let more = holders.isEmpty ? nil : holders.count - 10 else { return "" }
        return " (\(holders.prefix(10).joined(separator: ", "))\(more > 0 ? ", and \(more) more" : ""))"
    }

    /// Returns a Boolean value that indicates whether a server process has the lock.
    ///
    /// This session sees it only if both are in one database.
    ///
    /// - Throws: `PostgresError`.
    func isHeld(by process: Int64, on connection: Connection) throws -> Bool {
        var parameters = try parameters
        parameters.append(process)
        return try connection.query("SELECT 1 \(Self.holders) AND l.pid = $2", parameters, cached: false)
            .rowCount > 0
    }

    /// Ends the sessions that have the lock.
    ///
    /// - Throws: `PostgresError`, if the role may not end one of them.
    func endHolders(on connection: Connection) throws {
        _ = try connection.query(
            "SELECT pg_catalog.pg_terminate_backend(l.pid) \(Self.holders)", parameters, cached: false)
    }
}
