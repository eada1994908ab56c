import HowdahMigration
import HowdahModel
import HowdahRuntime
import HowdahSchema
import HowdahTesting
import PQClient
import TestSupport
import Testing

/// The calls of an operator on a store with history.
@Suite struct HistoryAdministrationTests {
    private static func withHistory(_ body: (HistoryTrial) async throws -> Void) async throws {
        try await HistoryTrial.with { trial in
            _ = try trial.history.enable()
            _ = try trial.history.start()
            _ = try trial.history.trust()
            try await body(trial)
        }
    }

    private static let row = """
        INSERT INTO _howdah_history (slot, number, part, origin, entity, kind, properties, ids, author, context)
        SELECT 0, nextval('_howdah_history_number'), 0, 1, 'Note', 1, '{text,blob}',
            (SELECT array_agg(g::bigint) FROM generate_series(1, 12) g), 'api', 'import'
        """

    @Test func changesAreListed() async throws {
        try await Self.withHistory { trial in
            try trial.run(
                "\(Self.row); \(Self.row.replacing("'Note', 1, '{text,blob}'", with: "'Tag', 2, NULL"))")
            let entries = try trial.history.list(limit: 10)
            #expect(entries.map(\.entity) == ["Tag", "Note"] && entries.map(\.kind) == ["delete", "update"])
            let note = try #require(entries.last)
            #expect(note.properties == ["text", "blob"] && note.count == 12 && note.ids == Array(1...10))
            #expect(
                note.author == "api" && note.context == "import" && note.origin == "batch"
                    && note.process == nil)
            #expect(try trial.history.list(limit: 10, of: "Note").count == 1)
            #expect(try trial.history.list(limit: 1).map(\.entity) == ["Tag"])
            #expect(try trial.history.list(limit: 9, of: "Folder").isEmpty)
            #expect(trial.code { try trial.history.list(limit: 9, of: "Nope") } == "unknownEntity")
        }
    }

    /// The heartbeat of the start takes over from that of an earlier run of the server.
    @Test func theStartWritesAHeartbeat() async throws {
        try await HistoryTrial.with { trial in
            _ = try trial.history.enable()
            try trial.run(
                "UPDATE _howdah_history_state SET heartbeat_era = '00000001/1', heartbeat_at = '2020-01-01'")
            _ = try trial.history.start()
            let isNew = """
                SELECT heartbeat_at > '2020-01-02' AND heartbeat_era <> '00000001/1'
                AND pg_snapshot_xmax(heartbeat) >= pg_snapshot_xmax(deleted) FROM _howdah_history_state
                """
            #expect(try trial.value("(\(isNew))") == "true")
            let former = """
                SELECT heartbeat_at = '2020-01-01' FROM _howdah_history_era WHERE ended_era = '00000001/1'
                """
            #expect(try trial.value("(\(former))") == "true")
        }
    }

    @Test func consumersAreShownAndForgotten() async throws {
        try await Self.withHistory { trial in
            let history = trial.history
            #expect(trial.code { try history.forget("mailer") } == "unknownConsumer")
            try trial.run(
                """
                INSERT INTO _howdah_history_consumer SELECT 'mailer', 't', pg_current_snapshot(),
                    \(HistoryTables.eraExpression), now(), now() - interval '1 hour';
                INSERT INTO _howdah_history_consumer SELECT 'lost', 't', pg_current_snapshot(), 'x', now(), now();
                \(Self.row)
                """)
            let consumers = try history.status().consumers
            #expect(consumers.map(\.name) == ["mailer", "lost"])
            #expect(consumers.map(\.isBehind) == [true, true] && consumers.map(\.isLost) == [false, true])
            #expect((3600...5400).contains(consumers[0].age))
            #expect(consumers.map(\.unread) == [1, 1] && consumers.allSatisfy { $0.lag < 1800 })
            try trial.run("UPDATE _howdah_history SET stored_at = now() - interval '1 hour'; \(Self.row)")
            try trial.run(
                "UPDATE _howdah_history_consumer SET snapshot = pg_current_snapshot() WHERE name = 'lost'")
            let later = try history.status()
            #expect(later.consumers.map(\.unread) == [2, 0] && later.consumers[1].lag == 0)
            #expect((3600...5400).contains(later.consumers[0].lag))
            #expect((3600...5400).contains(try #require(later.oldestAge)))
            #expect(later.bytes == later.slots.reduce(0) { $0 + $1.bytes } && later.bytes > 0)
            #expect(trial.code { try history.disable() } == "heldByConsumer")
            try history.forget("mailer")
            try history.forget("lost")
            #expect(try history.status().consumers.isEmpty)
            try history.disable()
        }
    }

    @Test func thePurgeReportsItsSlots() async throws {
        try await Self.withHistory { trial in
            try trial.run("\(Self.row); UPDATE _howdah_history SET stored_at = now() - interval '30 days'")
            #expect(try trial.history.purge() == [], "the current slot")
            try trial.run("UPDATE _howdah_history_current SET opened_at = now() - interval '30 days'")
            #expect(try trial.history.purge() == [], "closed a moment ago")
            try trial.run("UPDATE _howdah_history_state SET closed_at[0] = now() - interval '30 days'")
            #expect(try trial.history.purge() == [0])
            let status = try trial.history.status()
            #expect(
                status.current == 1 && status.slots.allSatisfy { !$0.isUsed }
                    && status.retention == 7 * 86_400)
        }
    }

    /// `pg_upgrade` changes the identifier of the cluster.
    ///
    /// Control: the first design had only `reset`, with which all tokens expire.
    @Test func aHistoryIsAdoptedAfterAnUpgrade() async throws {
        try await Self.withHistory { trial in
            let history = trial.history
            #expect(try !history.adopt())
            let identity = try history.status().incarnation
            try trial.run(Self.row)
            try trial.run("UPDATE _howdah_history_state SET system_identifier = 5")
            #expect(try history.status().refusal?.contains("howdah history adopt") == true)
            for call in [
                { try history.trust() }, { try history.track("Note") }, { try history.keep() == [] },
            ] {
                #expect(trial.code(call) == "otherHistory")
            }
            #expect(try history.adopt())
            #expect(try history.status().refusal == nil)
            #expect(try history.status().incarnation == identity)
            #expect(try history.list(limit: 9).count == 1)
        }
    }

    /// A copy of the database in the same cluster is no upgrade: its programs would share tokens with the original.
    @Test func aCopyInTheSameClusterIsNotAdopted() async throws {
        try await Self.withHistory { trial in
            try trial.run("UPDATE _howdah_history_state SET database_oid = 5")
            #expect(trial.code { try trial.history.adopt() } == "otherHistory")
            #expect(try trial.history.status().refusal?.contains("howdah history reset") == true)
        }
    }

    /// A dump that is restored in another cluster looks like an upgrade by the identifier of the cluster alone.
    @Test func aRestoredDumpIsNotAdopted() async throws {
        try await Self.withHistory { trial in
            try trial.run("UPDATE _howdah_history_state SET system_identifier = 5, table_oid = 5")
            #expect(trial.code { try trial.history.adopt() } == "otherHistory")
            #expect(try trial.history.status().refusal?.contains("restored from a dump") == true)
            try trial.history.reset()
            #expect(try trial.history.status().refusal == nil)
        }
    }

    @Test func droppedFunctionsAreCreatedAgain() async throws {
        try await Self.withHistory { trial in
            #expect(try trial.history.restoreFunctions() == [])
            try trial.run(
                """
                DROP FUNCTION _howdah_history_purge(smallint);
                CREATE OR REPLACE FUNCTION _howdah_history_rotate() RETURNS boolean LANGUAGE plpgsql AS 'BEGIN RETURN TRUE; END'
                """)
            #expect(trial.code { try trial.history.keep() } != "")
            let restored = try trial.history.restoreFunctions()
            #expect(restored == ["_howdah_history_rotate", "_howdah_history_purge"])
            #expect(try trial.history.restoreFunctions() == [])
            #expect(try trial.history.keep() == [])
        }
    }

    @Test func aHistoryOfTheFutureOrWithoutRowsIsNotAdopted() async throws {
        try await Self.withHistory { trial in
            try trial.run(
                "UPDATE _howdah_history_state SET system_identifier = 5, heartbeat = '900000000:900000000:'")
            #expect(trial.code { try trial.history.adopt() } == "otherHistory")
            try trial.history.reset()
            try trial.run("DELETE FROM _howdah_history_current")
            #expect(trial.code { try trial.history.adopt() } == "otherHistory")
        }
    }

    /// A dump without the rows of the history keeps its triggers.
    @Test func aResetFollowsTheTriggers() async throws {
        try await Self.withHistory { trial in
            _ = try trial.history.track("Note")
            try trial.run(
                "\(Self.row); DELETE FROM _howdah_history_state; DELETE FROM _howdah_history_current")
            #expect(try trial.history.status().refusal?.contains("howdah history reset") == true)
            try trial.history.reset()
            let status = try trial.history.status()
            #expect(status.refusal == nil && status.tracked == ["Note"] && status.phase == "trusted")
            #expect(try trial.value("SELECT is_tracked FROM _howdah_history_state") == "true")
            #expect(try trial.history.list(limit: 5).isEmpty)
        }
    }

    @Test func entitiesAreTrackedByName() async throws {
        try await Self.withHistory { trial in
            let history = trial.history
            #expect(trial.code { try history.track("Nobody") } == "unknownEntity")
            #expect(try history.track("Folder"))
            #expect(try !history.track("Folder"))
            #expect(try history.status().tracked == ["Folder"])
            try trial.run("INSERT INTO folder (name) VALUES ('x')")
            #expect(try history.list(limit: 5).map(\.origin) == ["other"])
            try trial.run("DROP TRIGGER _howdah_track_insert ON folder")
            #expect(try !history.track("Folder"), "repairs")
            try trial.run("INSERT INTO folder (name) VALUES ('y')")
            #expect(try history.list(limit: 5).count == 2)
            #expect(try history.untrack("Folder"))
            #expect(try !history.untrack("Folder"))
            try trial.run("INSERT INTO folder (name) VALUES ('z')")
            #expect(try history.list(limit: 5).count == 2)
            #expect(try trial.value("SELECT is_tracked FROM _howdah_history_state") == "false")
        }
    }

    /// Readers do not see the rows of a slot that is no part of the history. A program that only reads needs none.
    @Test func aHistoryWithoutASlotIsRefused() async throws {
        try await Self.withHistory { trial in
            try trial.run("ALTER TABLE _howdah_history DETACH PARTITION _howdah_history_3")
            let error = await #expect(throws: StoreError.self) {
                try await PersistentContainer.open(trial.database.url, model: Notebook.model())
            }
            #expect(error?.message.contains("lacks _howdah_history_3. ") == true, "\(error as Any)")
            try trial.run("DROP TABLE _howdah_history_state")
            var options = StoreOptions()
            options.isReadOnly = true
            let reader = try await PersistentContainer.open(
                trial.database.url, model: Notebook.model(), options: options)
            #expect(try await reader.perform { try $0.fetch("Note").count } == 0)
            await #expect(throws: HistoryError.self) { try await reader.currentHistoryToken() }
            await reader.close()
        }
    }

    @Test func savesNameALostSequence() async throws {
        try await Self.withHistory { trial in
            let container = try await PersistentContainer.open(trial.database.url, model: Notebook.model())
            @Sendable func save() async throws {
                try await container.perform { context in
                    context.insert("Folder")["name"] = "A"
                    try context.save()
                }
            }
            try await save()
            try trial.run("DROP SEQUENCE _howdah_history_number")
            let error = await #expect(throws: SaveError.self) { try await save() }
            #expect(error?.message.contains("howdah history enable") == true, "\(error as Any)")
            #expect(try trial.history.restoreFunctions() == ["_howdah_history_number"])
            try await save()
            #expect(try trial.history.list(limit: 9).count == 2)
            await container.close()
        }
    }

    /// A dump without rights gives all roles the right to call functions.
    @Test func functionsOfTrackedTablesAreTheOwnersAlone() async throws {
        try await Self.withHistory { trial in
            #expect(try trial.history.track("Note"))
            let mayCall = "has_function_privilege('pg_monitor', '_howdah_track_note()', 'EXECUTE')"
            for body in [{ try trial.history.reset() }, { _ = try trial.history.restoreFunctions() }] {
                try trial.run("UPDATE pg_proc SET proacl = NULL WHERE proname = '_howdah_track_note'")
                #expect(try trial.value(mayCall) == "true")
                try body()
                #expect(try trial.value(mayCall) == "false")
            }
        }
    }

    @Test func theDoctorNamesAdditionsToTheHistory() async throws {
        try await Self.withHistory { trial in
            func problems() throws -> [String] {
                try StoreDiagnosis(trial.connection).findings().filter { $0.severity == .problem }.map(
                    \.message)
            }
            #expect(try problems() == [])
            try trial.run(
                """
                ALTER TABLE _howdah_history ENABLE ROW LEVEL SECURITY;
                CREATE TRIGGER skip BEFORE UPDATE ON _howdah_history_consumer FOR EACH ROW
                    EXECUTE FUNCTION suppress_redundant_updates_trigger();
                CREATE TABLE hold (name text REFERENCES _howdah_history_consumer (name))
                """)
            let found = try problems().map { String($0.prefix { $0 != "," }) }
            #expect(
                found == [
                    "row level security of public._howdah_history can hide changes from programs",
                    "the constraint hold_name_fkey of hold can hide changes from programs",
                    "the trigger skip on public._howdah_history_consumer can hide changes from programs",
                ], "\(found)")
        }
    }

    /// Without settings there is nothing to compare.
    @Test func aFunctionWithoutSettingsIsRepaired() async throws {
        try await Self.withHistory { trial in
            #expect(try trial.history.track("Note"))
            try trial.run("ALTER FUNCTION _howdah_track_note() RESET ALL")
            let findings = try StoreDiagnosis(trial.connection).findings()
            #expect(findings.contains { $0.check == "history triggers" }, "\(findings)")
            #expect(try !trial.history.track("Note"))
            #expect(
                try trial.value("SELECT proconfig::text FROM pg_proc WHERE proname = '_howdah_track_note'")
                    == "{\"search_path=pg_catalog, pg_temp\"}")
        }
    }

    @Test func proceduresWithTheNamesOfFunctionsAreReplaced() async throws {
        try await HistoryTrial.with { trial in
            try trial.run("CREATE PROCEDURE _howdah_history_heartbeat() LANGUAGE sql AS 'SELECT 1'")
            #expect(try trial.history.enable() != nil)
            try trial.run("CREATE PROCEDURE _howdah_track_other() LANGUAGE sql AS 'SELECT 1'")
            #expect(try trial.history.start())
            #expect(try trial.history.restoreFunctions() == [])
            let kind = "SELECT prokind FROM pg_proc WHERE proname = '_howdah_history_heartbeat'"
            #expect(try trial.value(kind) == "f")
        }
    }

    /// A sequence that is left alone is no history.
    @Test func aSequenceWithoutTablesIsNoHistory() async throws {
        try await HistoryTrial.with { trial in
            try trial.run("CREATE SEQUENCE _howdah_history_number")
            let findings = try StoreDiagnosis(trial.connection).findings()
            #expect(!findings.contains { $0.check == "history" })
            #expect(try trial.history.enable() != nil)
        }
    }
}
