import PQClient

/// A transaction of the store's database that is prepared, and neither committed nor rolled back.
///
/// It holds its locks without a session, also after a restart of the server.
struct PreparedTransaction: Sendable {
    let name: String
    let role: String
    /// The time at which it was prepared, in UTC.
    let began: String
    /// The sessions that wait for a lock that it holds.
    let waiting: Set<Int32>

    /// The words for the list of waits.
    var words: String { "the prepared transaction \(name)" }

    /// The statement that undoes it.
    var rollback: String { "ROLLBACK PREPARED '\(name.replacing("'", with: "''"))'" }
    /// The statement that keeps its changes.
    var commit: String { "COMMIT PREPARED '\(name.replacing("'", with: "''"))'" }

    /// Reads the prepared transactions of this database; one statement.
    static func all(on connection: Connection) throws -> [PreparedTransaction] {
        let rows = try connection.query(sql, cached: false).map { row in
            let waits = row[3].string().split(separator: ",").filter { wait in
                let parts = wait.split(separator: " ")
                return parts.count == 3 && Self.conflicts(String(parts[1]), String(parts[2]))
            }
            return PreparedTransaction(
                name: row[0].string(), role: row[1].string(), began: row[2].string(),
                waiting: Set(waits.compactMap { Int32($0.prefix { $0.isNumber }) }))
        }
        return rows
    }

    /// The lock of the transaction's number has the virtual transaction of all its locks.
    private static let sql = """
        SELECT p.gid, p.owner::pg_catalog.text, pg_catalog.to_char(p.prepared, 'YYYY-MM-DD HH24:MI:SS'), \
        coalesce((SELECT pg_catalog.string_agg(pg_catalog.concat_ws(' ', w.pid, w.mode, h.mode), ',') \
        FROM pg_catalog.pg_locks o \
        JOIN pg_catalog.pg_locks h ON h.pid IS NULL AND h.granted AND h.virtualtransaction = o.virtualtransaction \
        JOIN pg_catalog.pg_locks w ON NOT w.granted AND w.pid IS NOT NULL \
        AND (w.locktype, w.database, w.relation, w.page, w.tuple, w.virtualxid, w.transactionid, w.classid, w.objid, \
        w.objsubid) IS NOT DISTINCT FROM (h.locktype, h.database, h.relation, h.page, h.tuple, h.virtualxid, \
        h.transactionid, h.classid, h.objid, h.objsubid) \
        WHERE o.locktype = 'transactionid' AND o.pid IS NULL AND o.granted \
        AND o.transactionid = p.transaction), '') \
        FROM pg_catalog.pg_prepared_xacts p WHERE p.database = pg_catalog.current_database() \
        ORDER BY p.prepared, p.gid LIMIT 100
        """

    private static let modes = [
        "AccessShareLock", "RowShareLock", "RowExclusiveLock", "ShareUpdateExclusiveLock", "ShareLock",
        "ShareRowExclusiveLock", "ExclusiveLock", "AccessExclusiveLock",
    ]
    /// For each mode, in their order, the first mode that it conflicts with, and one of those after it that it does not.
    private static let limits: [(first: Int, besides: Int?)] = [
        (7, nil), (6, nil), (4, nil), (3, nil), (2, 4), (2, nil), (1, nil), (0, nil),
    ]

    /// Indicates whether two modes of locks of one object exclude each other.
    static func conflicts(_ one: String, _ other: String) -> Bool {
        guard let row = modes.firstIndex(of: one), let column = modes.firstIndex(of: other) else {
            return true
        }
        return column >= limits[row].first && column != limits[row].besides
    }
}
