import Foundation
import HowdahTesting
import Testing

/// Mapped stages make tables beside the old ones, which needs rights, and nothing that depends on the old tables.
@Suite struct MappedObstacleTests {
    private static func folder() throws -> MigrationFolder {
        let store = try MigrationFolder([:])
        for (version, entity) in [("v1", "Box"), ("v2", "Crate"), ("v3", "Chest")] {
            try store.folder.place(
                "<entity name=\"\(entity)\" syncable=\"YES\">\(MigrationFolder.attribute("label"))</entity>",
                at: "Library.xcdatamodeld/\(version).xcdatamodel")
        }
        try store.folder.write(
            """
            model: Library.xcdatamodeld
            stages:
              - label: crates
                from: v1
                to: v2
                mapping: [{make: Crate, from: Box, set: {label: $source.label}}]
              - label: chests
                from: v2
                to: v3
                mapping: [{make: Chest, from: Crate, set: {label: $source.label}}]
            """, at: "plan.yml")
        return store
    }

    /// Runs `body` with a store of a role that can make no schemas, and a function that runs commands as that role.
    private static func withPoorRole(
        _ body: (MigrationFolder, _ role: String, _ tool: ([String]) throws -> Tool.Outcome) throws -> Void
    ) throws {
        let store = try folder()
        let role = "mapper_" + String(UInt32.random(in: .min ... .max), radix: 36)
        let database = try #require(try store.texts("SELECT quote_ident(current_database())").first)
        try store.sql(
            """
            CREATE ROLE \(role) LOGIN; CREATE SCHEMA own AUTHORIZATION \(role);
            REVOKE CREATE ON DATABASE \(database) FROM PUBLIC
            """)
        defer {
            try? store.sql(
                "DROP OWNED BY \(role) CASCADE; REVOKE ALL ON DATABASE \(database) FROM \(role); DROP ROLE \(role)"
            )
        }
        let url = store.database.url.replacing("user=postgres", with: "user=\(role)")
        func tool(_ command: [String]) throws -> Tool.Outcome {
            try Tool.run(
                ["migrate"] + command + [
                    "--plan", "plan.yml", "--quiet", "--schema", "own", "--database", url,
                ], in: store.folder)
        }
        let made = try tool(["apply", "--version", "v1"])
        try #require(made.status == 0, "\(made)")
        try body(store, role, tool)
    }

    @Test func aSchemaOfAnotherRoleIsRefusedFirst() throws {
        try Self.withPoorRole { store, role, tool in
            try store.sql(
                "CREATE SCHEMA _howdah_old_own; GRANT USAGE, CREATE ON SCHEMA _howdah_old_own TO \(role)")
            for command in [["apply"], ["rehearse", "--live"]] {
                let refused = try tool(command + ["--version", "v2"])
                #expect(refused.status == 1, "\(refused)")
                #expect(
                    refused.complaint.contains(
                        "Nothing was changed. Drop that schema, or run ALTER SCHEMA \"_howdah_old_own\" OWNER TO \(role)."
                    ), "\(refused)")
            }
            #expect(try store.texts("SELECT to_regclass('own._howdah_migration')::text") == ["nil"])
            // The control: the remedy is enough for one stage.
            try store.sql("ALTER SCHEMA _howdah_old_own OWNER TO \(role)")
            let applied = try tool(["apply", "--version", "v2"])
            #expect(applied.status == 0, "\(applied)")
        }
    }

    /// The first stage drops the schema.
    @Test func oneSchemaIsNotEnoughForTwoStages() throws {
        try Self.withPoorRole { store, role, tool in
            try store.sql("CREATE SCHEMA _howdah_old_own AUTHORIZATION \(role)")
            for command in [["apply"], ["rehearse", "--live"]] {
                let refused = try tool(command)
                #expect(refused.status == 1, "\(refused)")
                for words in ["The stage chests makes a schema", " TO \(role).\n"] {
                    #expect(refused.complaint.contains(words), "\(words): \(refused)")
                }
            }
            #expect(try store.texts("SELECT to_regclass('own._howdah_migration')::text") == ["nil"])
            let database = try #require(try store.texts("SELECT quote_ident(current_database())").first)
            try store.sql("GRANT CREATE ON DATABASE \(database) TO \(role)")
            let applied = try tool(["apply"])
            #expect(applied.status == 0 && applied.output.contains("migrated: 2 stages"), "\(applied)")
        }
    }

    @Test func aRehearsalGivesTheRemedyOfTheMigration() throws {
        let store = try Self.folder()
        #expect(try store.planned("apply", "plan.yml", "--version", "v1", "--quiet").status == 0)
        try store.sql("CREATE VIEW report AS SELECT label FROM box")
        let (report, applied) = (
            try store.planned("rehearse", "plan.yml", "--version", "v2", "--live", "--quiet"),
            try store.planned("apply", "plan.yml", "--version", "v2", "--quiet")
        )
        let remedy = "Drop these views before the migration, and create them again after the migration."
        #expect(report.status == 2, "\(report)")
        #expect(report.output.contains("\(remedy) Then run howdah migrate rehearse again."), "\(report)")
        #expect(!report.output.contains("without the removed one"), "\(report)")
        #expect(applied.status == 1 && applied.complaint.contains(remedy), "\(applied)")
    }

    @Test func passesAreStepsWithTheirTimes() throws {
        let store = try Self.folder()
        #expect(try store.planned("apply", "plan.yml", "--version", "v1", "--quiet").status == 0)
        try store.sql("INSERT INTO box (_id, _version, label) VALUES (1, 1, 'a'), (2, 1, 'b')")
        let plan = try store.planned("plan", "plan.yml", "--version", "v2")
        let report = try store.planned("rehearse", "plan.yml", "--version", "v2", "--live")
        #expect(report.status == 0, "\(report)")
        let steps = report.output.matches(of: #/\n  (\d+)  (\S.*?)  \d+\.\d+ s  (\d+) rows?/#)
        #expect(steps.map(\.output.1) == (1...max(1, steps.count)).map { Substring("\($0)") }, "\(report)")
        let pass = try #require(steps.first { $0.output.2.hasPrefix("BoxToCrate: Box → Crate") }, "\(report)")
        #expect(pass.output.3 == "2" && plan.output.contains(pass.output.2), "\(report) \(plan)")
        // Progress has the same numbers.
        for step in steps {
            let line = "step \(step.output.1) of \(steps.count), \(step.output.2)"
            #expect(report.complaint.contains(line), "\(line): \(report)")
        }
    }
}
