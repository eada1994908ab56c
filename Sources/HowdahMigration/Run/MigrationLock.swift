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

    /// - Throws: `MigrationError` with `busy`, saying who has it; `pooled` behind a pooler, which would give the
    ///   session and its lock to another client.
    func take(within budget: Duration, _ observer: MigrationObserver? = nil) throws {
        guard !connection.isPooled else { throw MigrationError.behindPooler }
        let end = ContinuousClock.now.advanced(by: budget)
        var told: Set<[String]> = []
        var pause = 0.05
        while true {
            let result = try connection.query(
                "SELECT pg_catalog.pg_try_advisory_lock(pg_catalog.hashtextextended($1, 0))", key)
            if result.map({ $0[0].bool }).first == true { return watchForOrphans() }
            guard ContinuousClock.now < end else {
                throw MigrationError(
                    .busy,
                    "Another program is working on the store in schema '\(schemaName)'\(try holder()). "
                        + "Nothing was changed. Wait until that program has finished, or end its session. Then retry."
                )
            }
            try tell(observer, &told, until: end)
            connection.canceller.pause(for: .seconds(pause))
            pause = min(1, pause * 2)
        }
    }

    /// Waits until nobody has it, and does not take it.
    ///
    /// - Throws: `MigrationError` with `busy`, saying who has it.
    func awaitRelease(within budget: Duration, _ observer: MigrationObserver? = nil) throws {
        let end = ContinuousClock.now.advanced(by: budget)
        var told: Set<[String]> = []
        while try !holders().isEmpty {
            guard ContinuousClock.now < end else {
                throw MigrationError(
                    .busy,
                    "Another program is working on the store in schema '\(schemaName)'\(try holder()). "
                        + "Nothing was changed. Retry after that program has finished, or with a larger --wait."
                )
            }
            try tell(observer, &told, until: end)
            connection.canceller.pause(for: .milliseconds(200))
        }
    }

    private func tell(
        _ observer: MigrationObserver?, _ told: inout Set<[String]>, until end: ContinuousClock.Instant
    ) throws {
        guard let observer else { return }
        let holders = try holders()
        guard !holders.isEmpty, told.insert(holders.map(\.session)).inserted else { return }
        observer(.waiting(holder: Self.words(holders), left: ContinuousClock.now.duration(to: end)))
    }

    /// A server notices the end of a session that is at work when it next has something to send, which may be hours from
    /// now: with this it looks, and the locks of a program that was killed go. PostgreSQL 14 and newer, where the server's
    /// system can tell.
    private func watchForOrphans() {
        guard connection.serverVersion >= 140_000 else { return }
        _ = try? connection.query(
            "SELECT pg_catalog.set_config('client_connection_check_interval', '2s', false) "
                + "WHERE pg_catalog.current_setting('client_connection_check_interval') = '0'", cached: false)
    }

    /// Best effort: the lock ends with the session in any case.
    func release() {
        guard let key = try? key else { return }
        _ = try? connection.query(
            "SELECT pg_catalog.pg_advisory_unlock(pg_catalog.hashtextextended($1, 0))", key)
        guard connection.serverVersion >= 140_000, connection.isUsable else { return }
        _ = try? connection.query("RESET client_connection_check_interval", cached: false)
    }

    /// Who has the lock, and which step it is at, in brackets; empty where nobody has it.
    func holder() throws -> String {
        Self.words(try holders())
    }

    private func holders() throws -> [LockHolder] {
        try LockHolder.ofAdvisoryLock(key, on: connection)
    }

    private static func words(_ holders: [LockHolder]) -> String {
        holders.isEmpty ? "" : " (\(holders.map(\.description).joined(separator: ", ")))"
    }
}
