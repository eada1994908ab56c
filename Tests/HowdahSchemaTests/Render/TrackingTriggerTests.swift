import HowdahModel
import HowdahSchema
import HowdahTesting
import PQClient
import TestSupport
import Testing

/// The triggers that write changes of other programs into the history.
@Suite struct TrackingTriggerTests {
    private static let place = CompositeDescription(
        "Place",
        [
            .init("city", .string, renamingIdentifier: "town"),
            .init("point", .composite(CompositeDescription("Point", [.init("x", .double)]))),
        ])

    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                "Person",
                properties: [
                    .attribute("name", .string, renamingIdentifier: "label"),
                    .attribute("email", .string, preservesValueInHistoryOnDeletion: true),
                    .attribute("born", .date, preservesValueInHistoryOnDeletion: true),
                    .attribute("home", .composite(place), preservesValueInHistoryOnDeletion: true),
                    .relationship("boss", to: "Person", inverse: "team"),
                    .relationship("team", to: "Person", inverse: "boss", toMany: true, ordered: true),
                    .relationship("projects", to: "Project", inverse: "members", toMany: true),
                ]),
            EntityDescription("Manager", superentity: "Person", properties: [.attribute("budget", .decimal)]),
            EntityDescription(
                "Project",
                properties: [
                    .attribute("title", .string),
                    .relationship("members", to: "Person", inverse: "projects", toMany: true, ordered: true),
                ]),
        ])
    }

    /// Runs `body` with a store in which some entities are tracked.
    private static func tracking(
        _ names: String = "Person", _ body: (HistoryStore) async throws -> Void
    ) async throws {
        try await HistoryStore.with(try model()) { store in
            try store.run("UPDATE _howdah_history_state SET is_tracked = TRUE, tracked = '{\(names)}'")
            try store.inTransaction { try HistoryTriggers(of: store.schema, on: store.connection).renew() }
            try await body(store)
        }
    }

    /// The rows of history since the last call, a line for each.
    private static func news(_ store: HistoryStore) throws -> [String] {
        let rows = try store.connection.query(
            "SELECT concat_ws(' ', kind, entity, properties, ids, tombstones) FROM _howdah_history ORDER BY number, part",
            cached: false
        ).map { $0[0].string() }
        #expect(
            try store.value(
                "SELECT count(*) FROM _howdah_history WHERE origin = 2 AND author <> session_user") == "0")
        try store.run("DELETE FROM _howdah_history")
        return rows
    }

    private static let people = """
        INSERT INTO person (_id, _entity, name, email, boss, boss_entity, boss_order) VALUES
            (1, 'Manager', 'Ada', 'ada@x', NULL, NULL, NULL), (2, 'Person', 'Bob', NULL, 1, 'Manager', 1),
            (3, 'Person', 'Eve', 'eve@x', 1, 'Manager', 2)
        """

    @Test func insertionsNameObjectsAndOwners() async throws {
        try await Self.tracking { store in
            let columns = try store.value(
                "SELECT string_agg(attname, ' ' ORDER BY attnum) FROM pg_attribute WHERE attrelid = 'person'::regclass AND attnum > 0"
            )
            #expect(columns?.contains("boss_entity") == true, "\(columns ?? "")")
            try store.run(Self.people)
            #expect(
                try Self.news(store) == ["0 Manager {1}", "0 Person {2,3}", "1 Manager {team} {1}"])
        }
    }

    @Test func updatesNameThePropertiesThatChanged() async throws {
        try await Self.tracking { store in
            try store.run(Self.people)
            _ = try Self.news(store)
            try store.run("UPDATE person SET name = 'Bo' WHERE _id = 2")
            #expect(
                try Self.news(store) == ["1 Person {label} {2}"], "the stored name, which a renaming keeps")
            try store.run("UPDATE person SET name = name, email = email")
            #expect(try Self.news(store) == [])
            try store.run(
                "UPDATE person SET email = 'x', manager_budget = CASE WHEN _id = 1 THEN 5 END WHERE _id < 3")
            #expect(
                try Self.news(store)
                    == ["1 Manager {budget,email} {1}", "1 Person {email} {2}"].map {
                        $0.replacing("budget,email", with: "email,budget")
                    })
            try store.run("UPDATE person SET boss = 2, boss_entity = 'Person', boss_order = 1 WHERE _id = 3")
            #expect(
                try Self.news(store) == [
                    "1 Manager {team} {1}", "1 Person {boss} {3}", "1 Person {team} {2}",
                ])
            try store.run("UPDATE person SET boss_order = 9 WHERE _id = 2")
            #expect(try Self.news(store) == ["1 Manager {team} {1}"], "the order is the owner's")
            try store.run("UPDATE person SET _id = 7 WHERE _id = 3")
            #expect(try Self.news(store).contains("0 Person {7}"))
        }
    }

    /// Foreign keys change or delete the rows of an owner after it.
    @Test func deletedOwnersAreNotUpdated() async throws {
        try await Self.tracking { store in
            try store.run(Self.people)
            _ = try Self.news(store)
            try store.run("DELETE FROM person WHERE _id = 1")
            let news = try Self.news(store)
            #expect(
                news.contains { $0.hasPrefix("2 Manager {1}") }
                    && !news.contains { $0.hasPrefix("1 Manager") }, "\(news)")
            #expect(news.contains("1 Person {boss} {2,3}"), "\(news)")
        }
    }

    @Test func deletionsKeepPreservedValues() async throws {
        try await Self.tracking { store in
            try store.run(Self.people)
            _ = try Self.news(store)
            try store.run("DELETE FROM person WHERE _id > 1")
            #expect(
                try Self.news(store) == [
                    "1 Manager {team} {1}",
                    #"2 Person {2,3} [{"born": null, "home": null, "email": null}, "#
                        + #"{"born": null, "home": null, "email": "eve@x"}]"#,
                ])
            let columns = try store.value(
                "SELECT string_agg(attname || ' = ' || CASE WHEN atttypid = 'text'::regtype THEN quote_literal('Paris') ELSE '2' END, "
                    + "', ') FROM pg_attribute WHERE attrelid = 'person'::regclass AND attname LIKE 'home%'")
            try store.run("UPDATE person SET \(columns ?? "")")
            _ = try Self.news(store)
            try store.run("DELETE FROM person")
            #expect(
                try Self.news(store) == [
                    #"2 Manager {1} [{"born": null, "home": {"town": "Paris", "point": {"x": 2}}, "email": "ada@x"}]"#
                ])
        }
    }

    @Test func linksChangeBothEnds() async throws {
        try await Self.tracking { store in
            try store.run(Self.people)
            try store.run("INSERT INTO project (_id, title) VALUES (10, 'P'), (11, 'Q')")
            let before = try Self.news(store)
            #expect(!before.contains { $0.contains("Project") }, "only people and their links are tracked")
            let members = try #require(store.schema.entities["Project"]?.property(named: "members")?.mapping)
            guard case .join(let links) = members else { return #expect(Bool(false), "\(members)") }
            let (person, project) = (links.otherColumn, links.ownColumn)
            let (entity, order) = (links.otherEntityColumn, links.ownOrderColumn)
            let names = [person, project] + [entity, order].compactMap { $0 }
            let row = { (key: Int, name: String) in
                "(\(key), 10" + (entity == nil ? "" : ", '\(name)'") + (order == nil ? "" : ", \(key)") + ")"
            }
            try store.run(
                "INSERT INTO \(links.joinTable) (\(names.joined(separator: ", "))) VALUES \(row(1, "Manager")), \(row(2, "Person"))"
            )
            #expect(
                try Self.news(store) == [
                    "1 Manager {projects} {1}", "1 Person {projects} {2}", "1 Project {members} {10}",
                ])
            if let order {
                try store.run("UPDATE \(links.joinTable) SET \(order) = 7 WHERE \(person) = 2")
                #expect(try Self.news(store) == ["1 Project {members} {10}"])
            }
            try store.run("UPDATE \(links.joinTable) SET \(project) = 11 WHERE \(person) = 2")
            #expect(try Self.news(store) == ["1 Person {projects} {2}", "1 Project {members} {10,11}"])
            // A deleted object is not updated after its deletion.
            try store.run("BEGIN; DELETE FROM project WHERE _id = 10")
            #expect(try Self.news(store) == ["1 Manager {projects} {1}"])
            try store.run("ROLLBACK")
            try store.run("DELETE FROM \(links.joinTable)")
            #expect(
                try Self.news(store) == [
                    "1 Manager {projects} {1}", "1 Person {projects} {2}", "1 Project {members} {10,11}",
                ])
        }
    }

    @Test func manyRowsAreCutIntoParts() async throws {
        try await Self.tracking("Project") { store in
            try store.run("INSERT INTO project (_id, title) SELECT g, 'P' FROM generate_series(1, 2500) g")
            #expect(
                try store.value(
                    "SELECT string_agg(part || ':' || cardinality(ids), ' ' ORDER BY part) FROM _howdah_history"
                ) == "0:1000 1:1000 2:500")
            #expect(try store.value("SELECT count(DISTINCT number) FROM _howdah_history") == "1")
            try store.run("TRUNCATE project CASCADE")
            #expect(
                try store.value(
                    "SELECT origin || entity || ids::text FROM _howdah_history ORDER BY number DESC LIMIT 1")
                    == "2{}")
        }
    }

    @Test func aStatementThatWritesItsOwnHistoryIsNotRepeated() async throws {
        try await Self.tracking { store in
            try store.run("BEGIN; SET LOCAL howdah.history = 'on'; \(Self.people); COMMIT")
            #expect(try Self.news(store) == [])
            // The setting of delete rules is another one.
            try store.run(
                "BEGIN; SET LOCAL howdah.save = 'on'; UPDATE person SET name = 'X' WHERE _id = 2; COMMIT")
            #expect(try Self.news(store) == ["1 Person {label} {2}"])
        }
    }

    /// A trigger of the application writes rows while a save does.
    ///
    /// Control: a condition with the setting alone, as the first design had it, misses the change.
    @Test(arguments: [true, false]) func changesOfTriggersAreWritten(looksAtDepth: Bool) async throws {
        try await Self.tracking { store in
            try store.run(
                """
                INSERT INTO project (_id, title) VALUES (10, 'P'); \(Self.people); DELETE FROM _howdah_history;
                CREATE FUNCTION follow() RETURNS trigger LANGUAGE plpgsql AS
                    'BEGIN UPDATE person SET name = NEW.title WHERE _id = 2; RETURN NULL; END';
                CREATE TRIGGER follow AFTER UPDATE ON project FOR EACH ROW EXECUTE FUNCTION follow()
                """)
            if !looksAtDepth {
                let definition = try #require(
                    try store.value(
                        "SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE tgname = '_howdah_track_update' AND tgrelid = 'person'::regclass"
                    ))
                let condition = " OR (pg_trigger_depth() > 0)"
                #expect(definition.contains(condition), "\(definition)")
                try store.run(
                    "DROP TRIGGER _howdah_track_update ON person; \(definition.replacing(condition, with: ""))"
                )
            }
            try store.run("BEGIN; SET LOCAL howdah.history = 'on'; UPDATE project SET title = 'Q'; COMMIT")
            #expect(try Self.news(store) == (looksAtDepth ? ["1 Person {label} {2}"] : []))
        }
    }

    @Test func otherProgramsNeedNoRightsOnTheHistory() async throws {
        try await HistoryStore.withProgram { store, role, program in
            try store.run("UPDATE _howdah_history_state SET is_tracked = TRUE, tracked = '{Folder}'")
            try store.inTransaction { try HistoryTriggers(of: store.schema, on: store.connection).renew() }
            try store.run(
                "REVOKE ALL ON _howdah_history, _howdah_history_number FROM \(role)".replacing(
                    ", _howdah_history_number", with: ""))
            try store.run("INSERT INTO folder (_id, name) VALUES (1, 'a')")
            try program.executeScript("UPDATE folder SET name = 'b'")
            #expect(
                try store.value("SELECT string_agg(author, ' ' ORDER BY number) FROM _howdah_history")
                    == "postgres \(role)")
        }
    }

    @Test func theTriggersFollowTheState() async throws {
        try await Self.tracking("Person,Project") { store in
            let triggers = HistoryTriggers(of: store.schema, on: store.connection)
            #expect(try triggers.missing() == [])
            let count = "SELECT count(*) FROM pg_trigger WHERE tgname LIKE '\\_howdah\\_%'"
            #expect(try store.value(count) == "12")
            try store.run("DROP TRIGGER _howdah_track_delete ON person")
            #expect(try triggers.missing() == ["person._howdah_track_delete"])
            try triggers.renew()
            #expect(try triggers.missing() == [])
            try store.run("UPDATE _howdah_history_state SET tracked = '{Project,Gone}', is_guarded = TRUE")
            try triggers.renew()
            #expect(
                try store.value(
                    "SELECT string_agg(DISTINCT tgrelid::regclass::text, ' ') FROM pg_trigger WHERE tgname = '_howdah_track_insert'"
                )?.contains("person ") == false)
            // Each of the three tables has a guard or is tracked.
            let names = "tgname IN ('_howdah_guard', '_howdah_track_insert')"
            #expect(
                try store.value(
                    "SELECT concat(count(*), ' ', count(DISTINCT tgrelid)) FROM pg_trigger WHERE \(names)")
                    == "3 3")
            #expect(
                try store.value(
                    "SELECT count(*) FROM pg_trigger WHERE tgname = '_howdah_guard' AND tgrelid = 'person'::regclass"
                ) == "1")
            try HistoryTriggers.remove(from: "public", on: store.connection)
            #expect(try store.value(count) == "0")
            #expect(
                try store.value(
                    "SELECT count(*) FROM pg_proc WHERE proname LIKE '\\_howdah\\_track%' OR proname LIKE '%guard'"
                ) == "0")
        }
    }

    @Test func longNamesOfTablesGetFunctionsOfTheirOwn() {
        let names = ["a", "b"].map {
            TrackingTrigger.functionName(of: String(repeating: "x", count: 62) + $0)
        }
        #expect(names[0] != names[1] && names.allSatisfy { $0.utf8.count <= 63 })
        #expect(TrackingTrigger.functionName(of: "note") == "_howdah_track_note")
    }
}
