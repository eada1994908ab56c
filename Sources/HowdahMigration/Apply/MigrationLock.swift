internal import PQClient

/// The lock that one runner at a time has on a store: the same that whoever makes a store takes.
///
/// Polled and never waited for, since a session that waits holds up others' concurrent index builds.
struct MigrationLock {
    let connection: Connection
    let schemaName: String

    private var key: Parameters {
        get throws {
            var parameters = Parameters()
            try parameters.append("howdah:\(schemaName)")
            return parameters
        }
    }

    /// - Throws: `MigrationError` with `busy`, saying who has it.
    func take(within budget: Duration, _ observer: MigrationObserver? = nil) throws {
        let end = ContinuousClock.now.advanced(by: budget)
        var nextReport = ContinuousClock.now
        var pause = 0.05
        while true {
            let result = try connection.query(
                "SELECT pg_catalog.pg_try_advisory_lock(pg_catalog.hashtextextended($1, 0))", key)
            if result.map({ $0[0].bool }).first == true { return }
            guard ContinuousClock.now < end else {
                throw MigrationError(
                    .busy,
                    "Another program works on the store in schema '\(schemaName)'\(try holder()); "
                        + "wait until it is done, or end it.")
            }
            if let observer, ContinuousClock.now >= nextReport {
                observer(.waiting(holder: try holder()))
                nextReport = .now.advanced(by: .seconds(10))
            }
            connection.canceller.pause(for: .seconds(pause))
            pause = min(1, pause * 2)
        }
    }

    /// Best effort: the lock ends with the session in any case.
    func release() {
        guard let key = try? key else { return }
        _ = try? connection.query(
            "SELECT pg_catalog.pg_advisory_unlock(pg_catalog.hashtextextended($1, 0))", key)
    }

    /// Who has the lock, and which step it is at, in brackets; empty where nobody has it.
    func holder() throws -> String {
        let result = try connection.query(
            #"""
            SELECT a.pid::pg_catalog.int8, COALESCE(a.application_name, ''), COALESCE(a.client_addr::pg_catalog.text, 'local'),
                pg_catalog.to_char(COALESCE(a.xact_start, a.backend_start) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
                COALESCE(pg_catalog.substring(a.query, '^/\* (\#(StagePosition.mark) .*?) \*/'), '')
            FROM pg_catalog.pg_locks l JOIN pg_catalog.pg_stat_activity a ON a.pid = l.pid
            CROSS JOIN (SELECT pg_catalog.hashtextextended($1, 0) AS key) k
            WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
                AND l.classid::pg_catalog.int8 = (k.key >> 32) & 4294967295
                AND l.objid::pg_catalog.int8 = k.key & 4294967295
                AND l.database = (SELECT oid FROM pg_catalog.pg_database WHERE datname = pg_catalog.current_database())
            LIMIT 1
            """#, key, cached: false)
        return result.map {
            let step = $0[4].string()
            return
                " (session \($0[0].int64) of \($0[1].string()) from \($0[2].string()), since \($0[3].string())"
                + "\(step.isEmpty ? "" : "; \(step)"))"
        }.first ?? ""
    }
}
