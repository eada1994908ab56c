internal import CLibPQ

extension Connection {
    /// The statements that undo changes of a session by the program's own SQL: as DISCARD ALL, but prepared statements
    /// stay.
    ///
    /// The last statement counts those that the program's SQL prepared, which the cache does not know of, and the others.
    private static let cleaning =
        "UNLISTEN *; SELECT pg_catalog.pg_advisory_unlock_all(); DISCARD TEMP; DISCARD SEQUENCES; "
        + "SELECT pg_catalog.count(*) FILTER (WHERE from_sql) || ' ' || pg_catalog.count(*) FILTER (WHERE NOT from_sql) "
        + "FROM pg_catalog.pg_prepared_statements"

    private static let reset = "CLOSE ALL; SET SESSION AUTHORIZATION DEFAULT; RESET ROLE; RESET ALL; "

    /// Makes the session as it was when it was opened, if the program's own SQL may have changed it; one round trip.
    ///
    /// Closes the connection if that is not possible. Behind a pooler the session is not this client's to clean, and SQL
    /// that would change it is refused before.
    func clean() {
        guard mayBeChanged else { return }
        mayBeChanged = false
        markedStore = nil
        guard isUsable, !isPooled else { return }
        deadline = .now + Exchange.grace
        defer { deadline = nil }
        statementTimeout = nil
        let cleaning = Self.reset + (enforcesConstraints ? "\(Self.enforcement); " : "") + Self.cleaning
        do {
            let prepared = try exchange(cleaning, kind: .other, event: .script, rows: { _ in 0 }) {
                exchange in
                try sent(PQsendQuery(try openHandle(exchange), cleaning), &exchange)
                return try finish(&exchange).scalar { $0.string() }
            }
            let counts = (prepared ?? "").split(separator: " ").compactMap { Int($0) }
            // A function can prepare, and forget, too.
            if counts.count != 2 || counts[0] > 0 || counts[1] < cache.count { close() }
        } catch {
            close()
        }
    }
}
