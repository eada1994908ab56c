import Foundation
import Howdah
import HowdahTesting
import PQClient
import TestSupport
import Testing

/// `howdah history`, as an operator runs it.
@Suite struct HistoryCommandTests {
    private struct Place {
        let database: TemporaryDatabase
        let sql: PlainSQL
        let folder: ToolFolder

        func run(_ command: String, _ more: String...) throws -> Tool.Outcome {
            try Tool.run(["history", command, "--database", database.url] + more, in: folder)
        }

        func json(_ command: String, _ more: String...) throws -> [String: Any] {
            let outcome = try Tool.run(
                ["history", command, "--database", database.url, "--json"] + more, in: folder)
            return try #require(
                try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any],
                "\(outcome)")
        }

        static func with(_ body: (Place) async throws -> Void) async throws {
            try await withTemporaryDatabase(for: Notebook.model()) { database in
                try await body(
                    Place(database: database, sql: PlainSQL(url: database.url), folder: try ToolFolder()))
            }
        }
    }

    @Test func aHistoryIsTurnedOnStepByStep() async throws {
        try await Place.with { place in
            let missing = try place.run("status")
            #expect(missing.status == 1 && missing.complaint.contains("has no history"), "\(missing)")
            let enabled = try place.run("enable")
            #expect(
                enabled.status == 0 && enabled.output.hasPrefix("enabled. Run howdah migrate doctor"),
                "\(enabled)"
            )
            #expect(enabled.output.contains("There may be others"))
            #expect(try place.run("enable").output.contains("already has a history"))
            #expect(try place.run("trust").status == 1)
            #expect(try place.run("start").output.hasPrefix("started."))
            #expect(throws: PostgresError.self) {
                try place.sql.rows("INSERT INTO tag (_id, name) VALUES (1, 'x')")
            }
            #expect(try place.json("start")["isChanged"] as? Bool == false)
            #expect(try place.run("trust").output.hasPrefix("trusted."))
            #expect(try place.run("track", "Tag").output.hasPrefix("tracked."))
            try place.sql.rows("INSERT INTO tag (_id, name) VALUES (1, 'x')")
            let list = try place.run("list")
            #expect(list.output.contains("other  insert  Tag  1: 1  postgres"), "\(list)")
            let status = try place.run("status")
            #expect(
                status.output.contains("  trusted\n") && status.output.contains("tracked  Tag"), "\(status)")
            #expect(try place.json("status")["phase"] as? String == "trusted")
            #expect(try place.run("untrack", "Tag").status == 0)
            #expect(try place.run("track", "Nobody").status == 1)
        }
    }

    @Test func aHistoryIsKeptAndConsumersAreForgotten() async throws {
        try await Place.with { place in
            for command in ["enable", "start", "trust"] { #expect(try place.run(command).status == 0) }
            #expect(try place.run("keep", "--once").output == "No part of the history is over.\n")
            try place.sql.rows(
                "INSERT INTO _howdah_history_consumer SELECT 'mailer', 't', pg_current_snapshot(), heartbeat_era, now(), now() "
                    + "FROM _howdah_history_state")
            #expect(try place.run("status").output.contains("consumer  mailer  acknowledged"))
            #expect(try place.run("forget", "mailer").output == "forgotten  mailer\n")
            #expect(try place.run("forget", "mailer").complaint.contains("no consumer 'mailer'"))
            try place.sql.rows(
                "INSERT INTO _howdah_history (slot, number, part, origin, entity, kind, ids, stored_at) "
                    + "VALUES (5, 1, 0, 0, 'Tag', 0, '{1}', now() - interval '30 days')")
            #expect(try place.run("purge").output == "purged  slot 5\n")
        }
    }

    @Test func aPurgeNamesTheConsumersThatHoldIt() async throws {
        try await Place.with { place in
            for command in ["enable", "start", "trust"] { #expect(try place.run(command).status == 0) }
            for name in ["mailer", "index"] {
                try place.sql.rows(
                    "INSERT INTO _howdah_history_consumer SELECT '\(name)', 't', pg_current_snapshot(), heartbeat_era, now(), now() "
                        + "FROM _howdah_history_state")
            }
            try place.sql.rows(
                "INSERT INTO _howdah_history (slot, number, part, origin, entity, kind, ids, stored_at) "
                    + "VALUES (5, 1, 0, 0, 'Tag', 0, '{1}', now() - interval '30 days')")
            let held = try place.run("purge")
            #expect(
                held.status == 0
                    && held.output.contains("past the retention, and held by the consumers index, mailer."),
                "\(held)")
            #expect(try place.json("purge")["heldBy"] as? [String] == ["index", "mailer"])
            try place.sql.rows("UPDATE _howdah_history_consumer SET snapshot = pg_current_snapshot()")
            #expect(try place.run("purge").output == "purged  slot 5\n")
            #expect(try place.run("purge").output == "No part of the history is over.\n")
        }
    }

    /// Both read the same statements.
    @Test func aProgramReadsTheMeasuresOfTheCommand() async throws {
        try await Place.with { place in
            for command in ["enable", "start", "trust"] { #expect(try place.run(command).status == 0) }
            // A heartbeat between the two would make its age smaller.
            var options = StoreOptions()
            options.keepsHistory = false
            let container = try await PersistentContainer.open(
                place.database.url, model: Notebook.model(), options: options)
            _ = try await container.historyConsumer("mailer")
            try place.sql.rows(
                "INSERT INTO _howdah_history (slot, number, part, origin, entity, kind, ids, stored_at) "
                    + "VALUES (0, 1, 0, 0, 'Tag', 0, '{1}', now() - interval '1 hour')")
            try place.sql.rows(
                "INSERT INTO _howdah_history_consumer SELECT 'lost', 't', pg_current_snapshot(), 'x', now(), now() - interval '9 days'"
            )
            let status = try await container.historyStatus()
            // Monitoring reads one form of times.
            for setting in ["datestyle = ''SQL, DMY''", "timezone = ''Asia/Kathmandu''"] {
                try place.sql.rows(
                    "DO $$BEGIN EXECUTE format('ALTER DATABASE %I SET \(setting)', current_database()); END$$"
                )
            }
            let json = try place.json("status")
            let first = (json["consumers"] as? [[String: Any]])?.first
            for text in [json["openedAt"], first?["acknowledgedAt"]] {
                let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
                let time = try Date(try #require(text as? String), strategy: style)
                #expect(abs(time.timeIntervalSinceNow) < 86_400 * 10)
            }
            func seconds(_ key: String, in part: [String: Any]) -> Int64 {
                (part[key] as? Int).map { Int64($0) } ?? -1_000
            }
            /// The ages differ by the time between the two.
            func agree(_ age: Duration?, _ key: String, in part: [String: Any]) {
                let difference = seconds(key, in: part) - (age?.components.seconds ?? -9_000)
                #expect((-1...600).contains(difference), "\(key): \(part) \(status)")
            }
            #expect(json["phase"] as? String == status.phase.description && status.phase == .trusted)
            #expect(json["bytes"] as? Int == status.bytes && status.bytes > 0)
            #expect(seconds("retention", in: json) == status.retention.components.seconds)
            agree(status.oldestAge, "oldestAge", in: json)
            #expect((status.oldestAge ?? .zero) >= .seconds(3600))
            agree(status.heartbeatAge, "heartbeatAge", in: json)
            let consumers = try #require(json["consumers"] as? [[String: Any]])
            #expect(consumers.map { $0["name"] as? String } == status.consumers.map(\.name))
            #expect(status.consumers.map(\.name) == ["lost", "mailer"])
            for (printed, consumer) in zip(consumers, status.consumers) {
                agree(consumer.age, "age", in: printed)
                agree(consumer.lag, "lag", in: printed)
                #expect(printed["unread"] as? Int == consumer.unread)
                #expect(printed["isBehind"] as? Bool == consumer.isBehind)
                #expect(printed["isLost"] as? Bool == consumer.isLost)
            }
            #expect(status.consumers.map(\.isLost) == [true, false])
            #expect(status.consumers[1].isBehind && status.consumers[1].unread == 1)
            #expect(status.consumers[1].lag >= .seconds(3600))
            await container.close()
        }
    }

    @Test func theLastHeartbeatIsWrittenOnASignal() async throws {
        try await Place.with { place in
            for command in ["enable", "start", "trust"] { #expect(try place.run(command).status == 0) }
            func isFresh() throws -> Bool {
                try place.sql.value(
                    "SELECT (heartbeat_at > now() - interval '1 minute')::text FROM _howdah_history_state")
                    == "true"
            }
            func age() throws {
                try place.sql.rows(
                    "UPDATE _howdah_history_state SET heartbeat_at = now() - interval '1 hour'")
            }
            for number in [SIGTERM, SIGINT] {
                try age()
                let process = try Tool.begin(
                    "history", "keep", "--every", "3000", "--database", place.database.url, in: place.folder)
                let end = ContinuousClock.now + .seconds(300)
                while try !isFresh(), .now < end { try await Task.sleep(for: .milliseconds(20)) }
                #expect(try isFresh())
                try await Task.sleep(for: .milliseconds(300))
                try age()
                kill(process.processIdentifier, number)
                #expect(process.waitForEnd() == 0)
                #expect(try isFresh(), "the last heartbeat")
            }
        }
    }

    @Test func droppedFunctionsAndUnknownEntitiesAreReported() async throws {
        try await Place.with { place in
            for command in ["enable", "start", "trust"] { #expect(try place.run(command).status == 0) }
            try place.sql.rows("DROP FUNCTION _howdah_history_rotate()")
            #expect(
                try place.run("enable").output
                    == "The store already has a history. Created again: _howdah_history_rotate.\n")
            #expect(try place.json("enable")["restored"] as? [String] == [])
            #expect(try place.run("keep", "--once").status == 0)
            let unknown = try place.run("list", "--entity", "Nope")
            #expect(
                unknown.status == 1 && unknown.complaint.contains("no entity with this stored name"),
                "\(unknown)")
            #expect(try place.run("list", "--entity", "Note").status == 0)
            let status = try place.json("status")
            #expect(status["bytes"] as? Int ?? 0 > 0 && status["heartbeatAge"] as? Int ?? 99 < 60)
        }
    }

    @Test func whatCannotBeUndoneIsConfirmed() async throws {
        try await Place.with { place in
            for command in ["enable", "start", "trust"] { #expect(try place.run(command).status == 0) }
            let identity = try #require(
                try place.sql.value("SELECT incarnation::text FROM _howdah_history_state"))
            for command in ["reset", "disable"] {
                let bare = try place.run(command)
                #expect(bare.status == 1 && bare.complaint.contains("--confirm \(identity)"), "\(bare)")
                let wrong = try place.run(command, "--confirm", "x")
                #expect(wrong.status == 1 && wrong.complaint.contains("another history"), "\(wrong)")
            }
            #expect(try place.run("adopt").complaint.contains("--after-upgrade"))
            #expect(try place.run("adopt", "--after-upgrade").output.contains("of this cluster"))
            try place.sql.rows("UPDATE _howdah_history_state SET system_identifier = 5")
            #expect(try place.run("purge").complaint.contains("howdah history adopt"))
            #expect(try place.run("adopt", "--after-upgrade").output.hasPrefix("adopted."))
            #expect(try place.run("reset", "--confirm", identity).output.hasPrefix("reset."))
            let new = try #require(try place.sql.value("SELECT incarnation::text FROM _howdah_history_state"))
            #expect(new != identity)
            // A history that lacks its rows has no id any more.
            try place.sql.rows("DROP TABLE _howdah_history_state")
            let store = try #require(try place.sql.value("SELECT store_uuid::text FROM _howdah_store"))
            #expect(try place.run("disable").complaint.contains("--confirm \(store)"))
            #expect(try place.run("disable", "--confirm", store).output.hasPrefix("disabled."))
            #expect(try place.run("status").status == 1)
        }
    }

    @Test(arguments: [
        (["list", "--limit", "0"], "--limit"), (["keep", "--every", "0"], "--every"),
        (["status", "--schema", ""], "--schema"), (["forget"], "consumer"),
    ])
    func wrongArgumentsAreNamed(arguments: [String], words: String) async throws {
        let outcome = try Tool.run(
            ["history"] + arguments + ["--database", "postgres:///x"], in: try ToolFolder())
        #expect(outcome.status == 64 && outcome.complaint.contains(words), "\(outcome)")
    }
}
