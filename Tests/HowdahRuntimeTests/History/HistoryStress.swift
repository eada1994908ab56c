import Foundation
import Howdah
import HowdahSchema
import PQClient
import SeededRandom
import Synchronization
import TestSupport

@testable import HowdahRuntime

/// Programs that change objects through the library, and the truth about what they committed, by triggers.
///
/// The tasks of two more processes take part. The truth has one row for each object and transaction.
struct HistoryStress: Sendable {
    let url: String
    /// The container of the readers.
    let readers: PersistentContainer
    /// The number of changes to commit.
    let count: Int
    let seed: UInt64
    private let progress = Progress()

    private final class Progress: Sendable {
        let isOver = Atomic<Bool>(false)
        let expired = Atomic<Int>(0)
    }

    /// A Boolean value that indicates whether all changes are committed.
    var isOver: Bool { progress.isOver.load(ordering: .acquiring) }

    /// The number of tokens that expired.
    var expired: Int { progress.expired.load(ordering: .acquiring) }

    func noteExpiry() { progress.expired.add(1, ordering: .releasing) }

    /// Opens a session that ``disturb()`` leaves alone.
    func session() throws -> Connection {
        var attempts = 0
        while true {
            do {
                let session = try Connection(ConnectionConfiguration(TestPooler.direct(url)))
                _ = try session.query("SET application_name = 'observer'")
                return session
            } catch {
                // It may be ended before it has its name.
                attempts += 1
                if attempts == 100 { throw error }
            }
        }
    }

    /// Creates the tables of the truth and the effects.
    ///
    /// The history has its rows before a transaction commits. Some transactions take longer then, so that their numbers
    /// are seen after greater ones.
    func prepare() throws {
        let session = try session()
        defer { session.close() }
        try session.executeScript(
            """
            CREATE TABLE truth (place bigserial, entity text, id bigint, txid xid8, kind int, is_row boolean,
                PRIMARY KEY (entity, id, txid));
            CREATE TABLE transactions (number bigint PRIMARY KEY, txid xid8);
            CREATE TABLE effect (place bigserial, consumer text, entity text, id bigint, number bigint, kind int,
                is_link boolean);
            CREATE FUNCTION note(of_entity text, of_id bigint, of_kind int, of_row boolean) RETURNS void LANGUAGE plpgsql AS $$
            BEGIN
                IF of_id IS NULL THEN RETURN; END IF;
                IF of_kind = 2 THEN
                    DELETE FROM truth WHERE (entity, id, txid, kind) = (of_entity, of_id, pg_current_xact_id(), 0);
                    IF FOUND THEN RETURN; END IF;
                END IF;
                INSERT INTO truth AS t (entity, id, txid, kind, is_row)
                VALUES (of_entity, of_id, pg_current_xact_id(), of_kind, of_row)
                ON CONFLICT (entity, id, txid) DO UPDATE SET is_row = t.is_row OR EXCLUDED.is_row,
                    place = CASE WHEN t.is_row THEN t.place ELSE EXCLUDED.place END,
                    kind = CASE WHEN EXCLUDED.kind = 2 THEN 2 ELSE t.kind END;
            END $$;
            CREATE FUNCTION note_worker() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                IF TG_OP = 'INSERT' THEN
                    PERFORM note('Worker', NEW._id, 0, true), note('Team', NEW.team, 1, false);
                ELSIF TG_OP = 'DELETE' THEN
                    PERFORM note('Worker', OLD._id, 2, true), note('Team', OLD.team, 1, false);
                ELSE
                    PERFORM note('Worker', NEW._id, 1, true);
                    IF OLD.team IS DISTINCT FROM NEW.team THEN
                        PERFORM note('Team', OLD.team, 1, false), note('Team', NEW.team, 1, false);
                    END IF;
                END IF;
                RETURN NULL;
            END $$;
            CREATE FUNCTION note_team() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                IF OLD.total <> NEW.total THEN PERFORM note('Team', NEW._id, 1, true); END IF;
                RETURN NULL;
            END $$;
            CREATE FUNCTION note_link() RETURNS trigger LANGUAGE plpgsql AS $$
            DECLARE link record;
            BEGIN
                link := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
                PERFORM note('Skill', link.\(skillColumn), 1, false);
                -- The links of a new worker that is deleted again go after it.
                IF EXISTS (SELECT FROM worker WHERE _id = link.\(workerColumn)) THEN
                    PERFORM note('Worker', link.\(workerColumn), 1, false);
                END IF;
                RETURN NULL;
            END $$;
            CREATE FUNCTION note_number() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                INSERT INTO transactions VALUES (NEW.number, NEW.txid) ON CONFLICT DO NOTHING;
                RETURN NULL;
            END $$;
            CREATE FUNCTION linger() RETURNS trigger LANGUAGE plpgsql AS
                $$BEGIN PERFORM pg_sleep(0.002 + 0.01 * random()); RETURN NULL; END$$;
            CREATE TRIGGER note AFTER INSERT OR UPDATE OR DELETE ON worker FOR EACH ROW EXECUTE FUNCTION note_worker();
            CREATE TRIGGER note AFTER UPDATE ON team FOR EACH ROW EXECUTE FUNCTION note_team();
            CREATE TRIGGER note AFTER INSERT OR DELETE ON \(linkTable) FOR EACH ROW EXECUTE FUNCTION note_link();
            CREATE TRIGGER note AFTER INSERT ON _howdah_history FOR EACH ROW EXECUTE FUNCTION note_number();
            CREATE CONSTRAINT TRIGGER linger AFTER INSERT ON transactions DEFERRABLE INITIALLY DEFERRED
                FOR EACH ROW WHEN (NEW.number % 40 = 0) EXECUTE FUNCTION linger();
            """)
    }

    private var link: (table: String, worker: String, skill: String) {
        let schema = try? StoreSchema(RandomWorkers.model, schemaName: "public")
        guard case .join(let join)? = schema?.entities["Worker"]?.property(named: "skills")?.mapping else {
            return ("", "", "")
        }
        return (join.joinTable, join.ownColumn, join.otherColumn)
    }

    private var linkTable: String { SQLIdentifier.quoted(link.table) }
    private var workerColumn: String { SQLIdentifier.quoted(link.worker) }
    private var skillColumn: String { SQLIdentifier.quoted(link.skill) }

    // MARK: Programs

    /// Changes objects by tasks of this process and of others until there are enough changes, and for ten minutes at most
    /// until a purge has expired a token.
    func write(untilExpired: Bool) async throws {
        defer { progress.isOver.store(true, ordering: .releasing) }
        let latest = ContinuousClock.now + .seconds(600)
        let crews = try (1...2).map { number in
            let process = Process()
            process.executableURL = CrashWriter.program
            process.arguments = [url, "crew", "\(seed &* 7 &+ UInt64(number))"]
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            return process
        }
        defer {
            for crew in crews {
                kill(crew.processIdentifier, SIGKILL)
                crew.waitUntilExit()
            }
        }
        var options = StoreOptions()
        options.maximumConnections = 6
        options.keepsHistory = false
        let container = try await PersistentContainer.open(url, model: RandomWorkers.model, options: options)
        try await container.closing { container in
            let tasks = (0..<6).map { number in
                Task { await RandomWorkers.work(in: container, seed: seed &* 13 &+ UInt64(number)) }
            }
            defer { for task in tasks { task.cancel() } }
            let session = try session()
            defer { session.close() }
            // The sequence also counts what is rolled back.
            var next = count
            while true {
                try await Task.sleep(for: .milliseconds(50))
                let drawn = try session.query("SELECT last_value FROM truth_place_seq").first { $0[0].int64 }
                if Int(drawn ?? 0) < next { continue }
                let stored = try session.query("SELECT count(*) FROM truth").first { $0[0].int64 } ?? 0
                if stored >= count, !untilExpired || expired > 0 || .now > latest { break }
                next = Int(drawn ?? 0) + max(0, count - Int(stored))
            }
            for task in tasks { task.cancel() }
            for task in tasks { await task.value }
        }
    }

    /// Ends connections of programs until they are done.
    func disturb() async throws {
        let session = try session()
        defer { session.close() }
        while !isOver {
            try await Task.sleep(for: .milliseconds(150))
            _ = try session.query(
                """
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()
                    AND pid <> pg_backend_pid() AND application_name <> 'observer' ORDER BY random() LIMIT 1
                """)
        }
    }

    /// Rotates and purges all the time.
    func purge() async throws {
        let tables = HistoryStore.tables
        let session = try session()
        defer { session.close() }
        _ = try session.query("UPDATE \(tables.state) SET retention = '300 ms'")
        while !isOver {
            try await Task.sleep(for: .milliseconds(40))
            _ = try session.query("SELECT \(tables.name(of: .rotate))()")
            for slot in 0..<HistoryTables.slots {
                _ = try session.query("SELECT \(tables.name(of: .purge))(\(slot)::int2)")
            }
        }
    }

    // MARK: Readers

    /// Writes the changes of transactions to the effects of a reader.
    static func note(
        _ transactions: [HistoryTransaction], of reader: String, on connection: Connection
    ) throws {
        let rows = transactions.flatMap { transaction in
            transaction.changes.map { (change: $0, number: transaction.transactionNumber) }
        }
        if rows.isEmpty { return }
        var parameters = Parameters()
        try parameters.append(reader)
        try parameters.append(rows.map { $0.change.changedObjectID.entityName })
        parameters.append(rows.map { $0.change.changedObjectID.key })
        parameters.append(rows.map(\.number))
        parameters.append(rows.map { Int64($0.change.changeType.rawValue) })
        parameters.append(rows.map { $0.change.updatedProperties == ["skills"] ? 1 : 0 })
        _ = try connection.query(
            """
            INSERT INTO effect (consumer, entity, id, number, kind, is_link)
            SELECT $1, p.entity, p.id, p.number, p.kind, p.is_link = 1
            FROM unnest($2, $3, $4, $5, $6) WITH ORDINALITY p(entity, id, number, kind, is_link, n) ORDER BY n
            """, parameters)
    }

    /// Reads as a naive program would, by ascending numbers, and returns how many transactions it has missed.
    func poll(by column: String) async throws -> Int {
        let session = try session()
        defer { session.close() }
        func numbers(after: String) throws -> [(String, Int64)] {
            try session.query(
                "SELECT DISTINCT \(column)::text AS mark, number FROM _howdah_history WHERE \(column) > '\(after)' "
                    + "ORDER BY 2", cached: false
            ).map { ($0[0].string(), $0[1].int64) }
        }
        var last =
            try session.query("SELECT coalesce(max(number), 0)::text FROM _howdah_history").first {
                $0[0].string()
            } ?? "0"
        if column == "txid" {
            last = try session.query("SELECT pg_current_xact_id()::text").first { $0[0].string() } ?? "0"
        }
        let start = last
        var known: Set<Int64> = []
        while true {
            let isLast = isOver
            let found = try numbers(after: last)
            known.formUnion(found.map(\.1))
            last = found.map(\.0).max { (UInt64($0) ?? 0) < (UInt64($1) ?? 0) } ?? last
            if isLast { break }
            try await Task.sleep(for: .milliseconds(1))
        }
        return Set(try numbers(after: start).map(\.1)).subtracting(known).count
    }

    // MARK: Comparison

    /// Returns the differences between the truth and the effects of a consumer.
    func differences(of consumer: String, on session: Connection) throws -> [String] {
        let effects =
            "(SELECT e.entity, e.id, n.txid, min(e.kind) AS kind, count(*) AS n, bool_and(e.is_link) AS is_link "
            + "FROM effect e LEFT JOIN transactions n USING (number) WHERE consumer = '\(consumer)' GROUP BY 1, 2, 3)"
        let wrong = try session.query(
            """
            SELECT concat_ws(' ', entity, id, txid, 'is', t.kind, 'and was delivered as', e.kind, 'times', e.n)
            FROM truth t FULL JOIN \(effects) e USING (entity, id, txid)
            WHERE e.n IS DISTINCT FROM 1 AND t.id IS NOT NULL OR e.n > 1 OR t.kind <> e.kind
                OR txid IS NULL OR t.id IS NULL AND entity = 'Worker' AND NOT e.is_link
            LIMIT 10
            """, cached: false
        ).map { $0[0].string() }
        let inverted = try session.query(
            """
            SELECT id::text FROM (SELECT t.id, t.place < lag(t.place) OVER (PARTITION BY t.id ORDER BY e.place) AS is_wrong
                FROM effect e JOIN transactions n USING (number) JOIN truth t USING (entity, id, txid)
                WHERE e.consumer = '\(consumer)' AND t.entity = 'Worker' AND t.is_row) o WHERE is_wrong LIMIT 10
            """, cached: false
        ).map { "worker \($0[0].string()) was delivered out of order" }
        return wrong + inverted
    }

    /// Returns the workers of which a reader missed a change between others.
    func gaps(of reader: String, on session: Connection) throws -> [String] {
        try session.query(
            """
            SELECT consumer || ' missed changes of worker ' || id FROM (
                SELECT e.consumer, t.id, t.place FROM effect e JOIN transactions n USING (number)
                JOIN (SELECT *, row_number() OVER (PARTITION BY id ORDER BY place) AS nth FROM truth
                    WHERE entity = 'Worker' AND is_row) t USING (entity, id, txid)
                WHERE e.consumer LIKE '\(reader) %') r
            JOIN (SELECT id, place, row_number() OVER (PARTITION BY id ORDER BY place) AS nth FROM truth
                WHERE entity = 'Worker' AND is_row) t USING (id, place)
            GROUP BY consumer, id HAVING max(nth) - min(nth) + 1 <> count(*) LIMIT 10
            """, cached: false
        ).map { $0[0].string() }
    }
}
