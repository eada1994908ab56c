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
        do {
            try poll(within: budget, observer)
        } catch var error as PostgresError {
            // A cancelled statement may have taken it.
            connection.mayBeChanged = true
            guard error.isOfSession else { throw error }
            // Nothing was done that could have been committed.
            error.mayHaveCommitted = false
            throw MigrationError(
                .database,
                "The database session ended while the migration waited for its lock. Nothing was changed. Run the migration "
                    + "again.", databaseError: error)
        }
    }

    private func poll(within budget: Duration, _ observer: MigrationObserver?) throws {
        let end = ContinuousClock.now.advanced(by: budget)
        var told: Set<[String]> = []
        var pause = 0.05
        while true {
            if try attempt() { return prepareSession() }
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

    /// Takes it if it is free. A standby would take it, too, and change nothing afterwards.
    private func attempt() throws -> Bool {
        let answer = try connection.query(
            "SELECT pg_catalog.pg_is_in_recovery(), CASE WHEN NOT pg_catalog.pg_is_in_recovery() "
                + "THEN pg_catalog.pg_try_advisory_lock(pg_catalog.hashtextextended($1, 0)) END", key
        ).map { (isStandby: $0[0].isTrue, isTaken: $0[1].isTrue) }.first
        if answer?.isStandby == true { throw MigrationError.onStandby }
        return answer?.isTaken == true
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
    ///
    /// Limits of the role or database must not end a session that pauses between tries, or whose transaction is long.
    private func prepareSession() {
        for (name, value) in settings {
            _ = try? connection.query(
                "SELECT pg_catalog.set_config('\(name)', '\(value)', false) "
                    + "WHERE '\(value)' = '0' OR pg_catalog.current_setting('\(name)') = '0'", cached: false)
        }
    }

    /// The settings that the server has, with their values for the migration.
    private var settings: [(name: String, value: String)] {
        [
            ("client_connection_check_interval", "2s", 140_000), ("idle_session_timeout", "0", 140_000),
            ("transaction_timeout", "0", 170_000),
        ].filter { connection.serverVersion >= $0.2 }.map { ($0.0, $0.1) }
    }

    /// Best effort: the lock ends with the session in any case.
    ///
    /// A cancelled session refuses the statements. The pool then cleans it before its next lease.
    func release() {
        do {
            _ = try connection.query(
                "SELECT pg_catalog.pg_advisory_unlock(pg_catalog.hashtextextended($1, 0))", key)
            if settings.isEmpty { return }
            try connection.executeScript(settings.map { "RESET \($0.name)" }.joined(separator: "; "))
        } catch {
            connection.mayBeChanged = true
        }
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
