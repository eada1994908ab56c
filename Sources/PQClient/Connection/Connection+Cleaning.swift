internal import CLibPQ

extension Connection {
    /// The statements that undo changes of a session by the program's own SQL.
    ///
    /// They do the work of DISCARD ALL, but prepared statements stay. The last one counts two groups:
    /// statements that the program's SQL prepared, unknown to the cache, and the others.
    private static let cleaning =
        "UNLISTEN *; SELECT pg_catalog.pg_advisory_unlock_all(); DISCARD TEMP; DISCARD SEQUENCES; "
        + "SELECT pg_catalog.count(*) FILTER (WHERE from_sql) || ' ' || pg_catalog.count(*) FILTER (WHERE NOT from_sql) "
        + "FROM pg_catalog.pg_prepared_statements"

    private static let reset = "CLOSE ALL; SET SESSION AUTHORIZATION DEFAULT; RESET ROLE; RESET ALL; "

    /// Gives the session its first state again, if the program's own SQL may have changed it; one round trip.
    ///
    /// If that is not possible, it closes the connection. Behind a pooler the session does not belong to this
    /// client. There, SQL that would change it is refused before.
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
