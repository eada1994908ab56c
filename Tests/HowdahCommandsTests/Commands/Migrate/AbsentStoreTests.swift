import Foundation
import HowdahMigration
import HowdahSchema
import HowdahTesting
import PQClient
import Testing

/// Databases without a store, or with what looks like one.
@Suite struct AbsentStoreTests {
    private static func folder() throws -> MigrationFolder {
        try MigrationFolder([
            "v1": MigrationFolder.attribute("name")
                + "<fetchIndex name=\"byName\"><fetchIndexElement property=\"name\" type=\"Binary\" order=\"ascending\"/>"
                + "</fetchIndex>"
        ])
    }

    /// What the plan says makes the tables that the store has.
    @Test func whatWouldBeMadeIsShown() throws {
        let store = try Self.folder()
        for schema in ["public", "another"] {
            let shown = try store.run("plan", "v1", "--schema", schema)
            #expect(shown.status == 2 && shown.output.hasPrefix("no store → "), "\(shown)")
            let json = try store.run("plan", "v1", "--schema", schema, "--json")
            let plan = try JSONDecoder().decode(StagedMigrationPlan.self, from: Data(json.output.utf8))
            let steps = plan.stages.flatMap(\.plan.steps)
            #expect(steps.allSatisfy { $0.lock == .none })
            // The last one has parameters.
            for statement in steps.dropLast().flatMap(\.statements) { try store.sql(statement) }
            try store.sql("DROP TABLE \(schema)._howdah_store")
            let same = try store.run("baseline", "v1", "--schema", schema)
            #expect(same.status == 0, "\(same)")
        }
    }

    @Test func thatThereIsNoneIsSaid() throws {
        let store = try Self.folder()
        let status = try store.run("status", "v1")
        #expect(
            status.status == 2 && status.output.hasPrefix("absent")
                && status.output.contains("apply creates the store")
                && status.output.contains("table author"),
            "\(status)")
        #expect(try store.run("status", "v1", "--json").status == 2)
        let lint = try store.run("lint", "v1")
        #expect(lint.status == 0 && lint.output.contains("The store does not exist"), "\(lint)")
        #expect(try store.run("lint", "v1", "--json").output == "[]\n")
        #expect(try store.texts("SELECT to_regclass('author')::text") == ["nil"])
    }

    @Test func tablesInTheWayAreNamedWithWhatToDo() throws {
        let store = try Self.folder()
        try store.sql("CREATE TABLE author (n int)")
        for (command, status) in [("apply", 1), ("plan", 1), ("status", 2)] as [(String, Int32)] {
            let outcome = try store.run(command, "v1")
            #expect(outcome.status == status, "\(outcome)")
            for word in ["author", "--schema", "baseline"] {
                #expect((outcome.output + outcome.complaint).contains(word), "\(word): \(outcome)")
            }
        }
        #expect(try store.run("apply", "v1", "--schema", "mine").status == 0)
    }

    @Test func whoOnlyReadsIsToldOfScratch() throws {
        let store = try Self.folder()
        try store.make("v1")
        let connection = try store.connect()
        defer { connection.close() }
        let role = "howdah_looker_\(UInt32.random(in: 0...UInt32.max))"
        try connection.executeScript(
            "CREATE ROLE \(role); GRANT SELECT ON ALL TABLES IN SCHEMA public TO \(role)")
        defer { try? connection.executeScript("DROP OWNED BY \(role); DROP ROLE \(role)") }
        let mark = store.database.url.contains("?") ? "&" : "?"
        let url = store.database.url + "\(mark)options=-crole%3D\(role)"
        let refused = try Tool.run("migrate", "verify", "--database", url, in: store.folder)
        #expect(refused.status == 1 && refused.complaint.contains("--scratch"), "\(refused)")
        let other = try Tool.run(
            "migrate", "verify", "--database", url, "--scratch", store.database.url, in: store.folder)
        #expect(other.status == 0, "\(other)")
    }

    @Test func errorsReadAsText() throws {
        let store = try Self.folder()
        let outcome = try Tool.run("migrate", "doctor", "--database", "host=/nowhere", in: store.folder)
        #expect(outcome.status == 1 && !outcome.complaint.contains("\\u{9}"), "\(outcome)")
        try store.make("v1")
        try store.folder.place(
            "<entity name=\"Author\">\(MigrationFolder.attribute("name"))</entity>",
            at: "Library.xcdatamodeld/v2.xcdatamodel")
        let plan = try store.run("plan", "v2")
        #expect(plan.output.contains("1 step, 1 transaction"), "\(plan)")
        try store.folder.write(
            """
            model: Library.xcdatamodeld
            stages:
              - from: v1
                to: v2
                didMigrate: UPDATE nowhere SET x = 1
            """, at: "plan.yml")
        let rehearsed = try store.planned("rehearse", "plan.yml", "--live", "--quiet")
        #expect(
            rehearsed.output.contains(
                "ended early: Stage 1 of 1 (v1 → v2): The didMigrate handler failed: "), "\(rehearsed)")
        #expect(
            rehearsed.output.contains(
                "try again.\n  the server: relation \"nowhere\" does not exist\n  in: "), "\(rehearsed)")
        #expect(rehearsed.output.contains("\neverything was rolled back after "), "\(rehearsed)")
        let json = try store.planned("rehearse", "plan.yml", "--live", "--quiet", "--json").output
        for words in [
            "\"server\" : \"relation \\\"nowhere\\\" does not exist\"", "\"sqlstate\" : \"42P01\"",
            "\"ending\" : \"Stage 1 of 1 (v1 → v2): The didMigrate handler failed",
        ] {
            #expect(json.contains(words), "\(words): \(json)")
        }
        // The control: without a failure there is none.
        let clean = try store.run("rehearse", "v2", "--live", "--quiet", "--json").output
        #expect(!clean.contains("\"fields\"") && !clean.contains("\"sqlstate\""), "\(clean)")
    }
}
