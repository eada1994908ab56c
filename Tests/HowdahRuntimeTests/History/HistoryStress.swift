import Foundation
import Howdah
import HowdahSchema
import LocalPostgres
import Logging
import PQClient
import Synchronization
import TestSupport

@testable import HowdahRuntime

/// Programs that change objects through the library, and the truth about what they committed, by triggers.
///
/// The tasks of two more processes take part. The truth has one row for each object and transaction. The changes are
/// made in rounds. After each round its effects are compared with its truth, and both are removed.
struct HistoryStress: Sendable {
    /// A private server, which crashes in some rounds.
    let server: LocalCluster
    /// The container of the readers.
    let readers: PersistentContainer
    let seed: UInt64
    let counts = Counts()
    private let progress = Progress()

    /// What happened in all rounds.
    final class Counts: Sendable {
        let changes = Atomic<Int>(0)
        let transactions = Atomic<Int>(0)
        let endedSessions = Atomic<Int>(0)
        let killedPrograms = Atomic<Int>(0)
        let restarts = Atomic<Int>(0)
        let purges = Atomic<Int>(0)
        let expired = Atomic<Int>(0)
    }

    private final class Progress: Sendable {
        let isOver = Atomic<Bool>(false)
        let hasFailed = Atomic<Bool>(false)
    }

    /// A round of changes.
    struct Round: Sendable {
        let number: Int
        /// The number of changes to commit.
        let count: Int
        /// Indicates whether history is purged and the server crashes, and not whether naive programs read.
        let isHostile: Bool
    }

    /// A Boolean value that indicates whether all changes of the round are committed.
    var isOver: Bool { progress.isOver.load(ordering: .acquiring) }

    func begin() { progress.isOver.store(false, ordering: .releasing) }
    func end() { progress.isOver.store(true, ordering: .releasing) }

    /// Lets nobody wait any longer for a server that may be down for good.
    func fail() { progress.hasFailed.store(true, ordering: .releasing) }

    static func value(_ count: borrowing Atomic<Int>) -> Int { count.load(ordering: .acquiring) }

    /// The number of tokens that expired.
    var expired: Int { Self.value(counts.expired) }

    var url: String { server.url() }

    var summary: String {
        func value(_ count: borrowing Atomic<Int>) -> Int { Self.value(count) }
        return """
            \(value(counts.changes)) changes, \(value(counts.transactions)) transactions, \(value(counts.endedSessions)) \
            sessions ended, \(value(counts.killedPrograms)) programs killed, \(value(counts.restarts)) restarts, \
            \(value(counts.purges)) purges, \(value(counts.expired)) tokens expired
            """
    }

    /// The options of all containers: programs fail all the time.
    static var options: StoreOptions {
        var options = StoreOptions()
        options.logger.logLevel = .critical
        options.history = .enabled
        options.changePolling = .milliseconds(10)
        options.maximumConnections = 6
        return options
    }

    /// Runs `body` with a store on a server of its own.
    nonisolated(nonsending) static func run(
        seed: UInt64, _ body: (HistoryStress) async throws -> Void
    ) async throws {
        // Programs that wait for each other take turns soon.
        let server = try LocalCluster.start(settings: ["deadlock_timeout": "20ms", "shared_buffers": "128MB"])
        defer { server.stop(.immediate) }
        let container = try await PersistentContainer.open(
            server.url() + "&application_name=readers", model: RandomWorkers.model, options: options)
        try await container.closing { container in
            let stress = HistoryStress(server: server, readers: container, seed: seed)
            try await RandomWorkers.fill(container)
            try stress.prepare()
            try await body(stress)
        }
    }

    /// Returns a session that ``disturb()`` leaves alone.
    func observer() -> StressObserver {
        StressObserver(url) { [progress] in progress.hasFailed.load(ordering: .acquiring) }
    }

    /// Creates the tables of the truth and the effects.
    ///
    /// The history has its rows before a transaction commits. Some transactions take longer then, so that their numbers
    /// are seen after greater ones.
    private func prepare() throws {
        let session = try Connection(ConnectionConfiguration(url))
        defer { session.close() }
        try session.executeScript(
            """
            CREATE TABLE truth (place bigserial, entity text, id bigint, txid xid8, kind int, is_row boolean,
                PRIMARY KEY (entity, id, txid));
            CREATE TABLE transactions (number bigint PRIMARY KEY, txid xid8);
            CREATE TABLE effect (place bigserial, consumer text, entity text, id bigint, number bigint, kind int,
                is_link boolean);
            CREATE TABLE restarts (heartbeat pg_snapshot, edge xid8);
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
}
