import Foundation
import HowdahSchema
import PQClient
import Synchronization

/// The comparison of a round's effects with its truth.
extension HistoryStress {
    /// Waits until the consumers have had all changes of the round, under tokens of the server's present era: under one
    /// of an earlier era, they would have some again.
    ///
    /// Transactions of killed programs may still end, and those with smaller numbers may be seen after the last one.
    func waitForConsumers(_ names: [String], on session: StressObserver) async throws {
        let tables = HistoryTables(in: "public")
        let writers = """
            SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
                AND backend_type = 'client backend' AND application_name NOT IN ('observer', 'readers')
            """
        try await wait { try session.number(writers) == 0 }
        let last = try session.number("SELECT max(number) FROM transactions")
        for name in names {
            let isRead = """
                SELECT CASE WHEN NOT EXISTS (SELECT FROM \(tables.consumer) c
                    WHERE c.name = '\(name)' AND c.era = \(HistoryTables.eraExpression)) THEN 0
                WHEN NOT EXISTS (SELECT FROM effect WHERE consumer = '\(name)' AND number = \(last)) THEN 0
                WHEN EXISTS (SELECT FROM transactions n WHERE EXISTS (SELECT FROM truth t WHERE t.txid = n.txid)
                    AND NOT EXISTS (SELECT FROM effect e WHERE e.consumer = '\(name)' AND e.number = n.number)) THEN 0
                ELSE 1 END
                """
            try await wait { try session.number(isRead) == 1 }
        }
    }

    private func wait(until condition: () throws -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(900)
        while try !condition(), .now < end { try await Task.sleep(for: .milliseconds(50)) }
    }

    /// Counts what the round had, and prepares the comparison. The tables have no statistics before.
    func beginComparison(on session: StressObserver) throws {
        for table in ["truth", "effect", "transactions"] { try session.query("ANALYZE \(table)") }
        try session.query("CREATE INDEX IF NOT EXISTS effect_consumer ON effect (consumer)")
        counts.changes.add(try session.number("SELECT count(*) FROM truth"), ordering: .releasing)
        counts.transactions.add(
            try session.number("SELECT count(DISTINCT txid) FROM truth"), ordering: .releasing)
    }

    /// Removes the truth and the effects. Whatever is delivered again later is of no known transaction, and a difference.
    ///
    /// A restart takes consumers back to the last heartbeat. It may be as old as a short round, so one is written here.
    func endComparison(on session: StressObserver) throws {
        let tables = HistoryTables(in: "public")
        try session.query(
            "UPDATE \(tables.state) SET heartbeat_at = heartbeat_at - pg_catalog.make_interval(mins => 1)")
        try session.query("SELECT \(tables.name(of: .heartbeat))()")
        try session.query("TRUNCATE truth, effect, transactions, restarts")
    }

    /// Returns the differences between the truth and the effects of a consumer.
    ///
    /// A change is delivered once, and once more for each restart of the server after it whose last heartbeat does not
    /// see it.
    func differences(of consumer: String, on session: StressObserver) throws -> [String] {
        let effects =
            "(SELECT e.entity, e.id, n.txid, min(e.kind) AS kind, max(e.kind) AS last_kind, count(*) AS n, "
            + "bool_and(e.is_link) AS is_link FROM effect e LEFT JOIN transactions n USING (number) "
            + "WHERE consumer = '\(consumer)' GROUP BY 1, 2, 3)"
        let wrong = try session.query(
            """
            SELECT concat_ws(' ', entity, id, txid, 'is', t.kind, 'and was delivered as', e.kind, 'times', e.n)
            FROM truth t FULL JOIN \(effects) e USING (entity, id, txid)
            WHERE e.n IS NULL OR t.kind NOT IN (e.kind) OR e.kind <> e.last_kind
                OR e.n > 1 AND e.n > 1 + (SELECT count(*) FROM restarts r
                    WHERE txid < r.edge AND NOT pg_visible_in_snapshot(txid, r.heartbeat))
                OR txid IS NULL OR t.id IS NULL AND entity = 'Worker' AND NOT e.is_link
            LIMIT 10
            """
        ).map { $0[0].string() }
        // A change that is delivered again has its first place.
        let inverted = try session.query(
            """
            SELECT id::text FROM (SELECT id, place < lag(place) OVER (PARTITION BY id ORDER BY delivered) AS is_wrong
                FROM (SELECT t.id, t.place, min(e.place) AS delivered
                    FROM effect e JOIN transactions n USING (number) JOIN truth t USING (entity, id, txid)
                    WHERE e.consumer = '\(consumer)' AND t.entity = 'Worker' AND t.is_row GROUP BY 1, 2) d) o
            WHERE is_wrong LIMIT 10
            """
        ).map { "worker \($0[0].string()) was delivered out of order" }
        return wrong + inverted
    }

    /// Returns the workers of which a reader missed a change between others.
    func gaps(of reader: String, on session: StressObserver) throws -> [String] {
        try session.query(
            """
            WITH t AS MATERIALIZED (SELECT *, row_number() OVER (PARTITION BY id ORDER BY place) AS nth FROM truth
                WHERE entity = 'Worker' AND is_row)
            SELECT consumer || ' missed changes of worker ' || id FROM (SELECT DISTINCT e.consumer, t.id, t.nth
                FROM effect e JOIN transactions n USING (number) JOIN t USING (entity, id, txid)
                WHERE e.consumer LIKE '\(reader) %') r
            GROUP BY consumer, id HAVING max(nth) - min(nth) + 1 <> count(*) LIMIT 10
            """
        ).map { $0[0].string() }
    }
}
