import HowdahMigration
import HowdahModel
import HowdahRuntime
import HowdahSchema
import HowdahTesting
import PQClient
import TestSupport
import Testing

/// What the rest of the tools make of a store with history.
@Suite struct HistoryNeighboursTests {
    /// Runs `body` with a register whose history has a guard and tracks people.
    private static func withRegister(_ body: (HistoryTrial) async throws -> Void) async throws {
        try await Register.with { database, connection in
            let trial = HistoryTrial(database: database, connection: connection)
            _ = try trial.history.enable()
            _ = try trial.history.start()
            _ = try trial.history.track("Person")
            try await body(trial)
        }
    }

    @Test(arguments: [true, false]) func aMigrationKeepsGuardAndTracking(defers: Bool) async throws {
        try await Self.withRegister { trial in
            var options = MigrationOptions()
            options.shouldDeferLightweightMigration = defers
            options.confirmedDrops = ["Gone", "Person.nick"]
            _ = try StoreMigration(trial.connection, to: try Register.new(), options: options).apply()
            try DeferredWork(trial.connection).finish()
            #expect(try await Register.differences(trial.database) == [])
            let schema = try StoreSchema(Register.new())
            #expect(try HistoryTriggers(of: schema, on: trial.connection).missing() == [])
            #expect(try trial.failure(of: "UPDATE club SET _id = _id") == "55000")
            _ = try trial.history.trust()
            try trial.run("DELETE FROM _howdah_history; UPDATE person SET title = 'x' WHERE title = '1'")
            #expect(try trial.history.list(limit: 5).map(\.properties) == [["name"]])
        }
    }

    @Test func stepsOfAMigrationAreNotChangesOfOthers() async throws {
        try await Self.withRegister { trial in
            var options = MigrationOptions()
            options.confirmedDrops = ["Gone", "Person.nick"]
            _ = try StoreMigration(trial.connection, to: try Register.new(), options: options).apply()
            #expect(try trial.history.list(limit: 5, of: "Person").isEmpty)
        }
    }

    /// The row of the stage says that anything may have changed, so neither guard nor tracking looks at its handlers.
    @Test func handlersPassTheGuard() async throws {
        try await Self.withRegister { trial in
            let versions = try [("V1", Register.old()), ("V2", Register.new())].map {
                MigrationPath.Version(name: $0, checksum: $1.versionChecksum, model: $1)
            }
            let handler: StageHandlers.Handler = { connection, _ in
                _ = try connection.query(
                    "UPDATE person SET height = 1 WHERE height IS NOT NULL", cached: false)
                _ = try connection.query("UPDATE club SET _id = _id", cached: false)
            }
            let path = try MigrationPath([
                .init(
                    .custom, versions, label: nil,
                    handlers: StageHandlers(willMigrate: handler, didMigrate: handler),
                    confirmedDrops: ["Gone", "Person.nick"])
            ])
            #expect(try trial.failure(of: "UPDATE club SET _id = _id") == "55000", "control")
            try StoreMigration(trial.connection, path, to: Register.new()).apply()
            let entries = try trial.history.list(limit: 9)
            #expect(entries.map(\.origin) == ["migration"] && entries.map(\.entity) == [""])
        }
    }

    @Test func verifyPullAndDoctorKnowTheTables() async throws {
        try await Self.withRegister { trial in
            let expected = try StoreCatalogue.expected(
                of: Register.old(), schemaName: "public", on: trial.connection)
            #expect(
                try StoreCatalogue.actual("public", on: trial.connection).differences(from: expected) == [])
            let pulled = try DatabaseModel(trial.connection, schema: "public")
            #expect(pulled.isRecorded && pulled.notes == [])
            try trial.run("ALTER TABLE _howdah_store RENAME TO _howdah_hidden")
            let read = try DatabaseModel(trial.connection, schema: "public")
            #expect(
                !read.isRecorded && !read.notes.contains { $0.contains("_howdah_history") }, "\(read.notes)")
            #expect(!read.model.entities.contains { $0.name.lowercased().contains("history") })
            try trial.run("ALTER TABLE _howdah_hidden RENAME TO _howdah_store")
            let findings = try StoreDiagnosis(trial.connection).findings()
            #expect(findings.first { $0.check == "leftovers" }?.severity == .ok, "\(findings)")
            #expect(!findings.contains { $0.severity == .problem }, "\(findings)")
        }
    }

    @Test(arguments: [
        ("", "history", StoreFinding.Severity.note, "with a guard"),
        ("UPDATE _howdah_history_current SET slot = NULL", "history", .note, "not started"),
        (
            "UPDATE _howdah_history_state SET is_guarded = FALSE", "history", .ok,
            "written, with changes of other programs to Person"
        ),
        (
            "UPDATE _howdah_history_state SET system_identifier = 5", "history", .problem,
            "howdah history adopt"
        ),
        ("UPDATE _howdah_store SET format_version = 1", "history", .problem, "old programs may write"),
        (
            "UPDATE _howdah_history_state SET heartbeat_at = now() - interval '1 hour'", "history keeper",
            .warning, "is 36"
        ),
        (
            "INSERT INTO _howdah_history_consumer SELECT 'm', 't', '3:3:', 'x', now(), now()",
            "history consumers", .warning, "cannot continue"
        ),
        (
            "ALTER TABLE _howdah_history_3 ALTER ids SET STORAGE EXTENDED", "history storage", .warning,
            "_howdah_history_3"
        ),
        ("GRANT SELECT ON _howdah_history_5 TO PUBLIC", "history rights", .warning, "PUBLIC may use"),
        (
            "GRANT SELECT, INSERT, DELETE, TRUNCATE ON _howdah_history TO PUBLIC", "history rights", .warning,
            "PUBLIC has the rights DELETE, TRUNCATE on _howdah_history,"
        ),
        (
            "GRANT UPDATE ON _howdah_history_state TO PUBLIC", "history rights", .warning,
            "UPDATE on _howdah_history_state"
        ),
        (
            "GRANT EXECUTE ON FUNCTION _howdah_history_erase(text[], bigint[]) TO PUBLIC", "history rights",
            .warning, "PUBLIC writes no history, but may call _howdah_history_erase"
        ),
        (
            "ALTER TABLE person ENABLE ROW LEVEL SECURITY; GRANT SELECT ON _howdah_history TO pg_read_all_stats",
            "history rights", .warning, "pg_read_all_stats may not read all rows of "
        ),
        (
            "GRANT SELECT ON _howdah_history TO PUBLIC", "history rights", .warning,
            "PUBLIC may not read all rows of "
        ),
        (
            "GRANT SELECT (tombstones) ON _howdah_history TO pg_read_all_stats", "history rights", .warning,
            "pg_read_all_stats may not read all rows of "
        ),
        (
            "UPDATE pg_proc SET proacl = NULL WHERE proname = '_howdah_history_erase'", "history rights",
            .warning,
            "PUBLIC writes no history, but may call _howdah_history_erase"
        ),
        (
            "UPDATE pg_proc SET proacl = NULL WHERE proname = '_howdah_history_erase'", "history functions",
            .problem, "missing or changed: _howdah_history_erase"
        ),
        (
            "CREATE FUNCTION _howdah_history_rotate(integer DEFAULT 1) RETURNS boolean LANGUAGE sql AS 'SELECT true'",
            "history functions", .problem, "public._howdah_history_rotate(integer) has a name of the history"
        ),
        (
            "CREATE OR REPLACE FUNCTION _howdah_track_person() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'",
            "history triggers", .warning, "person._howdah_track_delete"
        ),
        (
            "ALTER FUNCTION _howdah_track_person() SECURITY INVOKER", "history triggers", .warning,
            "person._howdah_track_delete"
        ),
        (
            "CREATE OR REPLACE TRIGGER _howdah_track_update AFTER UPDATE ON person FOR EACH STATEMENT WHEN (false) "
                + "EXECUTE FUNCTION _howdah_track_person()", "history triggers", .warning,
            "changed: person._howdah_track_update"
        ),
        (
            "UPDATE pg_proc SET proacl = NULL WHERE proname = '_howdah_track_person'", "history rights",
            .warning, "PUBLIC may call public._howdah_track_person(), and so write"
        ),
        (
            "ALTER SEQUENCE _howdah_history_number OWNER TO pg_monitor", "history", .problem,
            "belong to another role"
        ),
        (
            "GRANT TRIGGER, REFERENCES (token) ON _howdah_history_consumer TO pg_read_all_stats",
            "history rights", .warning,
            "pg_read_all_stats has the rights REFERENCES (token), TRIGGER on _howdah_history_consumer"
        ),
        (
            "GRANT SELECT (tombstones) ON _howdah_history_0 TO PUBLIC", "history rights", .warning,
            "PUBLIC may use parts of the history directly"
        ),
        (
            "ALTER FUNCTION _howdah_track_person() OWNER TO pg_monitor", "history triggers", .warning,
            "person._howdah_track_delete"
        ),
        (
            "ALTER TABLE _howdah_history_current OWNER TO pg_monitor", "history", .problem,
            "belong to another role"
        ),
        (
            "GRANT INSERT ON person TO PUBLIC", "history rights", .warning,
            "PUBLIC may change objects, but write no history"
        ),
        (
            "GRANT ALL ON _howdah_history_consumer TO pg_read_all_stats", "history rights", .warning,
            "DELETE, INSERT, REFERENCES, TRIGGER, TRUNCATE, UPDATE on _howdah_history_consumer"
        ),
        (
            "GRANT UPDATE ON SEQUENCE _howdah_history_number TO PUBLIC", "history rights", .warning,
            "PUBLIC has the rights UPDATE on _howdah_history_number"
        ),
        (
            "GRANT UPDATE (retention) ON _howdah_history_state TO PUBLIC", "history rights", .warning,
            "UPDATE (retention) on _howdah_history_state"
        ),
        (
            "ALTER FUNCTION _howdah_history_purge(smallint) RESET ALL", "history functions", .problem,
            "missing or changed: _howdah_history_purge"
        ),
        (
            "DROP FUNCTION _howdah_history_rotate()", "history functions", .problem,
            "missing or changed: _howdah_history_rotate"
        ),
        (
            "CREATE OR REPLACE FUNCTION _howdah_history_rotate() RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER AS 'BEGIN RETURN TRUE; END'",
            "history functions", .problem, "_howdah_history_rotate"
        ),
        ("DROP INDEX _howdah_history_txid", "history", .problem, "history: _howdah_history_txid"),
        (
            "ALTER TABLE _howdah_history DETACH PARTITION _howdah_history_1", "history", .problem,
            "no part of the history: _howdah_history_1"
        ),
        (
            "DROP TABLE _howdah_history_7, _howdah_history_era", "history", .problem,
            "_howdah_history_7, _howdah"
        ),
        ("DROP TABLE _howdah_history", "history", .problem, "no part of the history: _howdah_history,"),
        ("DROP SEQUENCE _howdah_history_number", "history", .problem, "history: _howdah_history_number"),
        ("DROP TRIGGER _howdah_guard ON club", "history triggers", .warning, "club._howdah_guard"),
        (
            "ALTER TABLE club DISABLE TRIGGER _howdah_guard", "history triggers", .warning,
            "changed: club._howdah_guard"
        ),
        (
            "ALTER TABLE person DISABLE TRIGGER ALL", "history triggers", .warning,
            "person._howdah_track_delete, person._howdah_track_insert"
        ),
    ])
    func theDoctorLooksAtTheHistory(
        change: String, check: String, severity: StoreFinding.Severity, words: String
    ) async throws {
        try await Self.withRegister { trial in
            if !change.isEmpty { try trial.run(change) }
            let findings = try StoreDiagnosis(trial.connection).findings()
            let finding = findings.first { $0.check == check }
            #expect(finding?.severity == severity && finding?.message.contains(words) == true, "\(findings)")
        }
    }

    /// A load that was cut short leaves its tables without triggers.
    @Test func trackingAgainEnablesTriggers() async throws {
        try await Self.withRegister { trial in
            try trial.run("ALTER TABLE person DISABLE TRIGGER ALL")
            #expect(try !trial.history.track("Person"))
            let disabled = """
                SELECT count(*) FROM pg_trigger WHERE tgrelid = 'person'::regclass AND tgname LIKE '\\_howdah\\_track%'
                    AND tgenabled <> 'O'
                """
            #expect(try trial.value(disabled) == "0")
            #expect(
                try !StoreDiagnosis(trial.connection).findings().contains { $0.check == "history triggers" })
        }
    }

    @Test func damageIsMended() async throws {
        try await Self.withRegister { trial in
            func look() throws -> StoreFinding? {
                try StoreDiagnosis(trial.connection).findings().first { $0.check == "history" }
            }
            try trial.run("DROP INDEX _howdah_history_txid, _howdah_history_number_key")
            #expect(try look()?.remedy?.contains("howdah history enable") == true)
            #expect(
                try trial.history.restoreFunctions().sorted() == [
                    "_howdah_history_number_key", "_howdah_history_txid",
                ])
            #expect(try look()?.severity != .problem)
            // Numbers go on, although nobody knows those of rows that were removed.
            let number = "SELECT nextval('_howdah_history_number')"
            let last = try #require(Int64(try trial.value(number) ?? ""))
            try trial.run("DROP SEQUENCE _howdah_history_number")
            #expect(try trial.history.restoreFunctions() == ["_howdah_history_number"])
            #expect(try #require(Int64(try trial.value(number) ?? "")) > last)
            #expect(try look()?.severity != .problem)
            try trial.run(
                "INSERT INTO _howdah_history_consumer SELECT 'm', 't', '3:3:', 'x', now(), now(); "
                    + "ALTER TABLE _howdah_history DETACH PARTITION _howdah_history_1; DROP TABLE _howdah_history_era"
            )
            #expect(try look()?.remedy?.contains("howdah history disable") == true)
            #expect(trial.code { try trial.history.status() } == "incompleteHistory")
            #expect(trial.code { try trial.history.reset() } == "incompleteHistory")
            #expect(try trial.history.enable() == nil)
            #expect(trial.code { try trial.history.disable() } == "heldByConsumer")
            try trial.history.forget("m")
            try trial.history.disable()
            #expect(
                try trial.value("SELECT count(*) FROM pg_class WHERE relname LIKE '\\_howdah\\_history%'")
                    == "0")
            #expect(try trial.history.enable() != nil)
        }
    }

    /// The store's record says that programs write history, so that its loss is noticed.
    @Test(arguments: [
        "DROP TABLE _howdah_history",
        "DROP TABLE _howdah_history, _howdah_history_current, _howdah_history_state, _howdah_history_era, "
            + "_howdah_history_consumer",
    ])
    func aHistoryThatLacksTablesIsRefused(change: String) async throws {
        try await HistoryTrial.with { trial in
            _ = try trial.history.enable()
            try trial.run(change)
            let error = await #expect(throws: StoreError.self) {
                try await PersistentContainer.open(trial.database.url, model: Notebook.model())
            }
            #expect(
                error?.code == .historyOfAnotherCluster
                    && error?.message.contains("lacks _howdah_history, ") == true,
                "\(error as Any)")
            let identifier = try trial.value("SELECT store_uuid FROM _howdah_store")
            #expect(try trial.history.confirmation() == identifier)
            #expect(try trial.history.enable() == nil)
            try trial.history.disable()
            #expect(trial.code { try trial.history.disable() } == "noHistory")
            #expect(try trial.history.enable() != nil)
            let container = try await PersistentContainer.open(trial.database.url, model: Notebook.model())
            await container.close()
        }
    }

    @Test func aConsumerFarBehindIsReported() async throws {
        try await Self.withRegister { trial in
            try trial.run(
                """
                INSERT INTO _howdah_history_consumer SELECT 'm', 't', pg_current_snapshot(), \(HistoryTables.eraExpression),
                    now(), now() - interval '15 days';
                INSERT INTO _howdah_history (slot, number, part, origin, entity, kind, ids)
                    VALUES (0, 1, 0, 0, 'Person', 1, '{1}')
                """)
            let findings = try StoreDiagnosis(trial.connection).findings()
            #expect(
                findings.contains {
                    $0.check == "history consumers" && $0.severity == .warning
                        && $0.remedy?.contains("howdah history forget m") == true
                }, "\(findings)")
        }
    }

    @Test func aCopyBeginsWithoutHistoryAndADestroyedStoreLeavesNothing() async throws {
        try await Self.withRegister { trial in
            var copy = StoreOptions()
            copy.schemaName = "copy"
            try await PersistentContainer.replaceStore(
                at: trial.database.url, options: copy, withStoreFrom: trial.database.url)
            #expect(try trial.value("SELECT format_version FROM copy._howdah_store") == "1")
            #expect(try !HistoryRecord.exists(in: "copy", on: trial.connection))
            #expect(try trial.value("SELECT count(*) FROM copy.person") == "20")
            // The other way round the history goes with the store that is replaced.
            try await PersistentContainer.replaceStore(
                at: trial.database.url, withStoreFrom: trial.database.url, sourceOptions: copy)
            #expect(try !HistoryRecord.exists(in: "public", on: trial.connection))
            #expect(try trial.failure(of: "UPDATE person SET height = 1") == nil)
            _ = try trial.history.enable()
            _ = try trial.history.start()
            _ = try trial.history.track("Person")
            try await PersistentContainer.destroyStore(at: trial.database.url)
            #expect(
                try trial.value(
                    "SELECT count(*) FROM (SELECT relname FROM pg_class WHERE relname LIKE '\\_howdah%' AND relnamespace = 'public'::regnamespace "
                        + "UNION ALL SELECT proname FROM pg_proc WHERE proname LIKE '\\_howdah%' AND pronamespace = 'public'::regnamespace) AS x"
                )
                    == "0")
        }
    }

    @Test func aStoreOverExistingTablesLosesOnlyTheHistory() async throws {
        try await HistoryTrial.with { trial in
            try trial.run("UPDATE _howdah_store SET format_version = 101")
            #expect(trial.code { try trial.history.enable() } == "notAStore")
            try trial.run("UPDATE _howdah_store SET format_version = 1")
            _ = try trial.history.enable()
            // As tables of another program, which do not use the store's sequence.
            for table in ["folder", "note", "tag"] {
                try trial.run("ALTER TABLE \(table) ALTER _id DROP DEFAULT")
            }
            try trial.run("UPDATE _howdah_store SET format_version = 102")
            _ = try trial.history.start()
            _ = try trial.history.track("Note")
            try await PersistentContainer.destroyStore(at: trial.database.url)
            #expect(try trial.value("SELECT count(*) FROM note") == "0")
            #expect(try trial.failure(of: "INSERT INTO tag (_id, name) VALUES (1, 'x')") == nil)
            #expect(
                try trial.value(
                    "SELECT count(*) FROM pg_proc WHERE proname LIKE '\\_howdah\\_history%' OR proname LIKE '\\_howdah\\_track%'"
                )
                    == "0")
        }
    }
}
