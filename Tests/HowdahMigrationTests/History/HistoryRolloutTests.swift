import HowdahMigration
import HowdahModel
import HowdahRuntime
import HowdahSchema
import HowdahTesting
import PQClient
import TestSupport
import Testing

/// The history of a store in use is turned on in steps, none of which loses a change in silence.
@Suite struct HistoryRolloutTests {
    @Test func aStoreInUseGetsAHistoryInThreeSteps() async throws {
        try await HistoryTrial.with { trial in
            let (history, insert) = (trial.history, "INSERT INTO folder (name) VALUES ('x')")
            #expect(trial.code { try history.start() } == "noHistory")
            let old = try trial.connect()
            defer { old.close() }
            let sessions = try #require(try history.enable())
            #expect(sessions.contains { $0.process == Int64(old.backendProcessID) })
            #expect(try history.enable() == nil)
            #expect(try history.status().phase == "enabled")
            #expect(trial.code { try history.trust() } == "historyNotStarted")
            #expect(try trial.failure(of: insert) == nil, "until the start, old programs go on")
            #expect(try history.start())
            #expect(try !history.start())
            #expect(try history.status().phase == "guarded")
            #expect(try history.status().current == 0)
            #expect(try trial.failure(of: insert) == "55000")
            #expect(try trial.failure(of: "UPDATE note SET text = 'x'") == "55000")
            #expect(try trial.failure(of: "DELETE FROM tag") == "55000")
            try trial.runMarked(insert)
            #expect(try trial.value("SELECT count(*) FROM folder") == "2")
            #expect(try history.trust())
            #expect(try !history.trust())
            #expect(try history.status().phase == "trusted")
            #expect(try trial.failure(of: insert) == nil)
            try history.disable()
            #expect(trial.code { try history.status() } == "noHistory")
            #expect(
                try trial.value("SELECT count(*) FROM pg_proc WHERE proname LIKE '\\_howdah\\_history%'")
                    == "0")
        }
    }

    /// A program with a store open whose pool has no session now, as with a pooler in transaction mode.
    ///
    /// Control: the first design started when no old session was in `pg_stat_activity`. Without the guard, the program writes
    /// and the history has no row.
    @Test(arguments: [true, false]) func aProgramWithoutASessionIsRefused(isGuarded: Bool) async throws {
        try await HistoryTrial.with { trial in
            let visible = try #require(try trial.history.enable())
            #expect(visible.isEmpty, "the program is not in the list")
            _ = try trial.history.start()
            if !isGuarded { _ = try trial.history.trust() }
            #expect(
                try trial.failure(of: "INSERT INTO folder (name) VALUES ('x')") == (isGuarded ? "55000" : nil)
            )
            #expect(try trial.failure(of: "TRUNCATE folder CASCADE") == (isGuarded ? "55000" : nil))
            #expect(try trial.value("SELECT count(*) FROM _howdah_history") == "0")
        }
    }

    /// Programs of format 1 set `howdah.save` in saves of models with delete triggers.
    ///
    /// Control: a guard that looks at that setting lets them pass.
    @Test func aProgramThatHoldsDeleteTriggersIsRefused() async throws {
        try await HistoryTrial.with { trial in
            _ = try trial.history.enable()
            _ = try trial.history.start()
            let save = "BEGIN; SET LOCAL howdah.save = 'on'; INSERT INTO folder (name) VALUES ('x'); COMMIT"
            #expect(try trial.failure(of: save) == "55000")
            let definition = try #require(
                try trial.value(
                    "SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE tgname = '_howdah_guard' AND tgrelid = 'folder'::regclass"
                ))
            try trial.run(
                "DROP TRIGGER _howdah_guard ON folder; \(definition.replacing("howdah.history", with: "howdah.save"))"
            )
            #expect(try trial.failure(of: save) == nil)
        }
    }

    /// A change is either visible to the start, which hides it, or checked by the guard.
    @Test func theStartWaitsForTransactionsThatWrite() async throws {
        try await HistoryTrial.with { trial in
            _ = try trial.history.enable()
            let writer = try trial.connect()
            defer { writer.close() }
            try writer.executeScript("BEGIN; INSERT INTO folder (name) VALUES ('x')")
            let transaction = try #require(
                try writer.query("SELECT pg_current_xact_id()::text", cached: false).map { $0[0].string() }
                    .first)
            let patient = HistoryAdministration(
                trial.connection, lockBudget: .milliseconds(300), lockTimeout: .milliseconds(100))
            #expect(trial.code { try patient.start() } == "lockTimeout")
            #expect(try trial.history.status().phase == "enabled")
            try writer.executeScript("COMMIT")
            #expect(try trial.history.start())
            #expect(
                try trial.value(
                    "SELECT pg_visible_in_snapshot('\(transaction)'::xid8, deleted) FROM _howdah_history_state"
                )
                    == "true")
        }
    }

    @Test func onlyTheOwnerTurnsItOn() async throws {
        try await StoreRoles.with { roles in
            for role in ["clerk", "reader"] {
                let connection = try roles.connect(role)
                defer { connection.close() }
                let error = #expect(throws: MigrationError.self) {
                    try HistoryAdministration(connection).enable()
                }
                #expect(error?.code == .missingGrant, "\(error as Any)")
            }
            let member = try roles.connect("member")
            defer { member.close() }
            // Control: with rights of PUBLIC on one table, every role could read and delete the history.
            let stranger = roles.name("stranger")
            try roles.admin.executeScript(
                "CREATE ROLE \(stranger); GRANT INSERT, SELECT ON club TO \(stranger); GRANT INSERT ON club TO PUBLIC"
            )
            defer { try? roles.admin.executeScript("DROP OWNED BY \(stranger); DROP ROLE \(stranger)") }
            let history = HistoryAdministration(member)
            _ = try history.enable()
            for right in [
                "table_privilege(role, '_howdah_history', 'SELECT')",
                "table_privilege(role, '_howdah_history', 'INSERT')",
                "table_privilege(role, '_howdah_history_consumer', 'DELETE')",
                "function_privilege(role, '_howdah_history_delete(pg_snapshot, boolean)', 'EXECUTE')",
            ] {
                let question = "SELECT has_\(right.replacing("role", with: "'\(stranger)'"))"
                #expect(
                    try roles.admin.query(question, cached: false).scalar { $0.bool } == false, "\(right)")
            }
            _ = try history.start()
            _ = try history.track("Person")
            #expect(try roles.strangers() == [])
            // Those who write objects write history, and those who read the store read it.
            let clerk = try roles.connect("clerk")
            defer { clerk.close() }
            try clerk.executeScript(
                "BEGIN; SET LOCAL howdah.history = 'on'; UPDATE person SET height = 151; INSERT INTO _howdah_history (slot, number, part, "
                    + "origin, entity, kind, ids) SELECT 0, nextval('_howdah_history_number'), 0, 0, 'Person', 1, '{1}'; COMMIT"
            )
            try HistoryAdministration(clerk).keep()
            let reader = try roles.connect("reader")
            defer { reader.close() }
            #expect(try HistoryAdministration(reader).list(limit: 5).count == 1)
            #expect(try HistoryAdministration(reader).status().phase == "guarded")
            for grant in [("clerk", false), ("reader", true)] {
                let findings = try StoreDiagnosis(member, role: roles.name(grant.0), onlyReads: grant.1)
                    .findings()
                #expect(findings.contains { $0.check == "grants" && $0.severity == .ok }, "\(findings)")
            }
            try Self.createFunctionsAgain(roles, history, stranger)
            try roles.admin.executeScript("REVOKE INSERT ON _howdah_history FROM \(roles.name("clerk"))")
            let findings = try StoreDiagnosis(member, role: roles.name("clerk")).findings()
            #expect(
                findings.contains { $0.check == "grants" && $0.remedy?.contains("GRANT INSERT ON") == true },
                "\(findings)")
        }
    }

    /// Rights that the owner has given or taken are the same after a function is created again, which only those who write
    /// history may call.
    private static func createFunctionsAgain(
        _ roles: StoreRoles, _ history: HistoryAdministration, _ stranger: String
    ) throws {
        let rights = """
            SELECT string_agg(x, ' ' ORDER BY x) FROM (
                SELECT relname || ' ' || relacl::text AS x FROM pg_class WHERE relname LIKE '\\_howdah\\_history%'
                UNION ALL SELECT attname || ' ' || attacl::text FROM pg_attribute WHERE attacl IS NOT NULL
                UNION ALL SELECT proname || ' ' || proacl::text FROM pg_proc WHERE proname LIKE '\\_howdah\\_history%'
            ) AS t
            """
        func present() throws -> String? {
            try roles.admin.query(rights, cached: false).scalar { $0.string() }
        }
        let (clerk, reader) = (roles.name("clerk"), roles.name("reader"))
        try roles.admin.executeScript(
            """
            GRANT SELECT (number, stored_at) ON _howdah_history TO \(stranger);
            GRANT SELECT, UPDATE ON _howdah_history_consumer TO \(stranger);
            REVOKE SELECT ON _howdah_history FROM \(reader);
            REVOKE EXECUTE ON FUNCTION _howdah_history_delete(pg_snapshot, boolean) FROM \(clerk)
            """)
        let before = try present()
        // It gives every new function to everybody.
        try roles.admin.executeScript(
            "ALTER DEFAULT PRIVILEGES FOR ROLE \(roles.name("member")), \(roles.name("owner")) "
                + "GRANT EXECUTE ON FUNCTIONS TO \(stranger); DROP FUNCTION _howdah_history_rotate(); "
                + "CREATE OR REPLACE FUNCTION _howdah_history_heartbeat() RETURNS boolean LANGUAGE plpgsql "
                + "AS 'BEGIN END'")
        #expect(
            try history.restoreFunctions().sorted() == [
                "_howdah_history_heartbeat", "_howdah_history_rotate",
            ])
        #expect(try present() == before)
    }

    /// Another role that may create tables in the schema cannot make a history for the store.
    @Test func tablesOfOtherRolesAreNoHistory() async throws {
        try await HistoryTrial.with { trial in
            _ = try trial.history.enable()
            try trial.run("ALTER TABLE _howdah_history_consumer OWNER TO pg_monitor")
            #expect(trial.code { try trial.history.start() } == "otherHistory")
            #expect(trial.code { try trial.history.restoreFunctions() } == "otherHistory")
            let error = await #expect(throws: StoreError.self) {
                try await PersistentContainer.open(trial.database.url, model: Notebook.model())
            }
            #expect(error?.message.contains("belong to another role") == true, "\(error as Any)")
        }
    }

    /// A role that may call the function of a tracked table could use it for a table of its own.
    @Test func otherRolesCannotCallTheFunctionsOfTriggers() async throws {
        try await HistoryTrial.with { trial in
            _ = try trial.history.enable()
            _ = try trial.history.start()
            try trial.run(
                "ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT EXECUTE ON FUNCTIONS TO pg_monitor")
            _ = try trial.history.track("Folder")
            let mayCall = "has_function_privilege('pg_monitor', '_howdah_track_folder()', 'EXECUTE')"
            #expect(try trial.value(mayCall) == "false")
            // The control, and the mend of a store that has the right already.
            try trial.run("GRANT EXECUTE ON FUNCTION _howdah_track_folder() TO pg_monitor")
            #expect(try trial.value(mayCall) == "true")
            _ = try trial.history.track("Folder")
            #expect(try trial.value(mayCall) == "false")
        }
    }

    /// Replaced, a function stays that of the role that made it before, which could change its text later.
    @Test func functionsOfOtherRolesAreNotAdopted() async throws {
        try await StoreRoles.with { roles in
            let clerk = try roles.connect("clerk")
            defer { clerk.close() }
            try roles.admin.executeScript("GRANT CREATE ON SCHEMA public TO \(roles.name("clerk"))")
            try clerk.executeScript(
                """
                CREATE FUNCTION _howdah_history_heartbeat() RETURNS boolean LANGUAGE sql AS 'SELECT true';
                CREATE FUNCTION _howdah_history_guard() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
                CREATE FUNCTION _howdah_track_person() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'
                """)
            let history = HistoryAdministration(roles.admin)
            _ = try history.enable()
            _ = try history.start()
            _ = try history.track("Person")
            #expect(try roles.strangers() == [])
            #expect(try StoreDiagnosis(roles.admin).findings().allSatisfy { $0.check != "history functions" })
            try roles.admin.executeScript(
                "ALTER FUNCTION _howdah_history_rotate() OWNER TO \(roles.name("clerk"))")
            #expect(try history.restoreFunctions() == ["_howdah_history_rotate"])
            #expect(try roles.strangers() == [])
        }
    }

    /// The history has values that policies hide from a role.
    @Test func rolesThatPoliciesRestrictGetNoRights() async throws {
        try await StoreRoles.with { roles in
            try roles.admin.executeScript("ALTER TABLE person ENABLE ROW LEVEL SECURITY")
            let member = try roles.connect("member")
            defer { member.close() }
            let history = HistoryAdministration(member)
            _ = try history.enable()
            for role in ["clerk", "reader"] {
                let mayRead = try roles.admin.query(
                    "SELECT has_table_privilege('\(roles.name(role))', '_howdah_history', 'SELECT')",
                    cached: false)
                #expect(mayRead.scalar { $0.bool } == false)
            }
            func warnings(_ words: String) throws -> [String] {
                try StoreDiagnosis(member).findings().filter { $0.check == "history rights" }.map(\.message)
                    .filter { $0.contains(words) }
            }
            #expect(try warnings("may not read all rows") == [])
            #expect(
                try warnings("\(roles.name("clerk")) may change objects, but write no history").count == 1)
            try member.executeScript("GRANT SELECT ON _howdah_history TO \(roles.name("clerk"))")
            #expect(try warnings("\(roles.name("clerk")) may not read all rows of person").count == 1)
        }
    }

    /// Members of a role do not have its attributes.
    @Test(arguments: [false, true])
    func aSuperuserIsJudgedByTheRightsThatItWasGiven(mayRead: Bool) async throws {
        try await StoreRoles.with { roles in
            let clerk = roles.name("clerk")
            try roles.admin.executeScript(
                "ALTER ROLE \(clerk) SUPERUSER; GRANT \(clerk) TO \(roles.name("reader"))")
            if !mayRead { try roles.admin.executeScript("REVOKE SELECT ON person FROM \(clerk)") }
            let member = try roles.connect("member")
            defer { member.close() }
            _ = try HistoryAdministration(member).enable()
            let granted = try roles.admin.query(
                "SELECT EXISTS (SELECT FROM pg_class c, aclexplode(c.relacl) x WHERE c.relname = '_howdah_history' "
                    + "AND x.grantee = '\(clerk)'::regrole)", cached: false)
            #expect(granted.scalar { $0.bool } == mayRead)
            try roles.admin.executeScript("ALTER ROLE \(clerk) NOSUPERUSER")
        }
    }

    @Test func anotherProgramsWorkIsWaitedFor() async throws {
        try await HistoryTrial.with { trial in
            let other = try trial.connect()
            defer { other.close() }
            try other.executeScript("SELECT pg_advisory_lock(hashtextextended('howdah:public', 0))")
            let history = HistoryAdministration(trial.connection, lockBudget: .milliseconds(200))
            #expect(trial.code { try history.enable() } == "busy")
            try other.executeScript("SELECT pg_advisory_unlock_all()")
            #expect(try history.enable() != nil)
        }
    }

    @Test(.needsPgBouncer) func everyCallWorksBehindAPooler() async throws {
        try await HistoryTrial.with { trial in
            let pooler = try PgBouncer(trial.database.url)
            defer { pooler.stop() }
            var configuration = try ConnectionConfiguration(pooler.url(through: trial.database.url))
            configuration.pooler = .transaction
            let connection = try Connection(configuration)
            defer { connection.close() }
            let history = HistoryAdministration(connection)
            #expect(try history.enable() != nil)
            let changes = [
                { try history.start() }, { try history.trust() }, { try history.track("Note") },
                { try history.untrack("Note") },
            ]
            for change in changes { #expect(try change()) }
            #expect(try history.keep() == [])
            #expect(try history.list(limit: 1).isEmpty)
            try history.reset()
            #expect(try history.status().phase == "trusted")
            try history.disable()
        }
    }

    @Test func schemasWithoutAStoreAreNamed() async throws {
        try await HistoryTrial.with { trial in
            let history = HistoryAdministration(trial.connection, schemaName: "nowhere")
            #expect(trial.code { try history.enable() } == "notAStore")
            #expect(trial.code { try history.status() } == "notAStore")
            #expect(trial.code { try history.list(limit: 1) } == "notAStore")
        }
    }

    /// The server hides the kind and the time of other roles' sessions from a role without `pg_read_all_stats`.
    @Test func sessionsOfOtherRolesAreListed() async throws {
        try await StoreRoles.with { roles in
            let (member, clerk) = (try roles.connect("member"), try roles.connect("clerk"))
            defer {
                member.close()
                clerk.close()
            }
            let sessions = try #require(try HistoryAdministration(member).enable())
            let other = try #require(
                sessions.first { $0.process == Int64(clerk.backendProcessID) }, "\(sessions)")
            #expect(other.role == roles.name("clerk") && other.began.isEmpty && other.address.isEmpty)
            #expect(!sessions.contains { $0.role.isEmpty }, "the server's own processes")
            let kind = try member.query(
                "SELECT backend_type IS NULL FROM pg_stat_activity WHERE pid = \(clerk.backendProcessID)",
                cached: false
            ).scalar(\.bool)
            #expect(kind == true, "control: the kind is hidden")
        }
    }

    @Test func programsWithoutRightsAreNamedTheDoctor() async throws {
        try await StoreRoles.with { roles in
            let member = try roles.connect("member")
            defer { member.close() }
            _ = try HistoryAdministration(member).enable()
            let stranger = try roles.connect("clerk")
            defer { stranger.close() }
            try roles.admin.executeScript(
                """
                REVOKE ALL ON _howdah_history, _howdah_history_state, _howdah_history_consumer FROM \(roles.name("clerk"));
                GRANT SELECT ON _howdah_history_state, _howdah_history_consumer TO \(roles.name("clerk"));
                REVOKE ALL ON FUNCTION _howdah_history_heartbeat() FROM \(roles.name("clerk"));
                """)
            let history = HistoryAdministration(stranger)
            let calls: [(String, () throws -> Void)] = [
                ("status", { _ = try history.status() }), ("list", { _ = try history.list(limit: 1) }),
                ("keep", { _ = try history.keep() }), ("purge", { _ = try history.purge() }),
                ("forget", { try history.forget("x") }),
            ]
            for (name, call) in calls {
                let error = #expect(throws: MigrationError.self, "\(name)") { try call() }
                #expect(
                    error?.code == .missingGrant
                        && error?.message.contains("howdah migrate doctor --role") == true,
                    "\(name): \(error as Any)")
            }
        }
    }
}
