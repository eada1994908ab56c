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
        let holders = try LockHolder.ofAdvisoryLock(key, on: connection)
        return holders.isEmpty ? "" : " (\(holders.map(\.description).joined(separator: ", ")))"
    }
}
