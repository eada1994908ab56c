import Foundation
import Howdah
import HowdahTesting
import LocalPostgres
import PQClient
import SeededRandom
import TestSupport
import Testing

@testable import HowdahRuntime

/// Processes save, others follow the history and are killed: their ledgers have every committed change once.
@Suite(.serialized) struct HistoryProcessTests {
    private static let count = TestTier.choose(quick: 150, all: 1_500, nightly: 40_000)

    private static func start(_ url: String, _ role: String, seed: Int, count: Int = 0) throws -> Process {
        let process = Process()
        process.executableURL = CrashWriter.program
        process.arguments = [url, "chronicler", role, "\(seed)", "\(count)"]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        return process
    }

    @Test(.timeLimit(.minutes(60))) func killedConsumersKeepLedgersWithoutGaps() async throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription("Note", properties: [.attribute("number", .integer64, optional: false)])
        ])
        var options = StoreOptions()
        options.history = .enabled
        let database = try EphemeralPostgres.shared().createDatabase()
        defer { try? database.drop() }
        let sql = PlainSQL(url: database.url)
        let container = try await PersistentContainer.open(database.url, model: model, options: options)
        try await container.perform { context in
            for _ in 0..<40 { context.insert("Note")["number"] = 0 }
            try context.save()
        }
        for name in ["alone", "shared"] { _ = try await container.historyConsumer(name) }
        await container.close()
        // A trigger knows the truth: one row for each transaction and note.
        try sql.script(
            """
            CREATE TABLE ledger (place bigserial, consumer text, id text, number bigint);
            CREATE TABLE truth (id text, txid xid8, PRIMARY KEY (id, txid));
            CREATE FUNCTION note_truth() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                INSERT INTO truth VALUES ('Note-p' || NEW._id, pg_current_xact_id()) ON CONFLICT DO NOTHING; RETURN NULL;
            END $$;
            CREATE TRIGGER note_truth AFTER UPDATE ON note FOR EACH ROW EXECUTE FUNCTION note_truth();
            """)
        let writers = try (1...3).map {
            try Self.start(database.url, "writer", seed: $0, count: Self.count)
        }
        var random = SplitMix64(seed: 5)
        var roles = ["alone", "shared", "shared"].map { ($0, try? Self.start(database.url, $0, seed: 0)) }
        defer { for (_, process) in roles { if let process { kill(process.processIdentifier, SIGKILL) } } }
        var kills = 0
        while writers.contains(where: \.isRunning) || kills < 10 {
            try await Task.sleep(for: .milliseconds(100 + random.below(500)))
            let place = random.below(roles.count)
            if let process = roles[place].1 {
                await process.killed()
                kills += 1
            }
            roles[place].1 = try Self.start(database.url, roles[place].0, seed: 0)
        }
        #expect(writers.allSatisfy { $0.terminationStatus == 0 })
        let total = try sql.value("SELECT count(*)::text FROM truth")
        let end = ContinuousClock.now + .seconds(900)
        for name in ["alone", "shared"] {
            while .now < end,
                try sql.value("SELECT count(*)::text FROM ledger WHERE consumer = '\(name)'") != total
            {
                try await Task.sleep(for: .milliseconds(100))
            }
            let differences = try sql.rows(
                """
                SELECT id, t.n::text, l.n::text FROM (SELECT id, count(*) AS n FROM truth GROUP BY id) t
                FULL JOIN (SELECT id, count(*) AS n FROM ledger WHERE consumer = '\(name)' GROUP BY id) l USING (id)
                WHERE t.n IS DISTINCT FROM l.n
                """)
            #expect(differences == [], "\(name)")
            let inverted = try sql.value(
                """
                SELECT count(*)::text FROM (SELECT number <= lag(number) OVER (PARTITION BY id ORDER BY place) AS is_wrong
                    FROM ledger WHERE consumer = '\(name)') l WHERE is_wrong
                """)
            #expect(inverted == "0", "\(name)")
        }
        #expect(Int(total ?? "") ?? 0 > Self.count)
    }
}
