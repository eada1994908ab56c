import Foundation
import HowdahTesting
import Testing

/// Stages in YAML, with handlers in SQL.
@Suite struct PlanFileTests {
    private static func folder() throws -> MigrationFolder {
        let name = MigrationFolder.attribute("name")
        return try MigrationFolder([
            "v1": name, "v2": name + MigrationFolder.attribute("first"),
            "v3": MigrationFolder.attribute("first") + MigrationFolder.attribute("age", "Integer 32"),
        ])
    }

    private static let plan = """
        # where the versions are
        model: Library.xcdatamodeld
        stages:
          - label: first names
            from: v1
            to: v2
            didMigrate: |
              UPDATE author SET first = split_part(name, ' ', 1);
              UPDATE author SET _version = _version + 1;
          - from: v2
            to: v3
            confirmedDrops: [Author.name]
        """

    @Test func stagesRunInOrderWithTheirHandlers() throws {
        let store = try Self.folder()
        try store.folder.write(Self.plan, at: "plan.yml")
        try store.make("v1")
        try store.sql("INSERT INTO author (_id, _version, name) VALUES (1, 1, 'Ada Lovelace')")
        let status = try store.planned("status", "plan.yml")
        #expect(status.status == 2 && status.output.contains("stage  first names"), "\(status)")
        let plan = try store.planned("plan", "plan.yml")
        #expect(plan.output.contains("stage 1 of 2   first names   custom"), "\(plan)")
        #expect(plan.output.contains("didMigrate handler"), "\(plan)")
        let lint = try store.planned("lint", "plan.yml")
        #expect(lint.status == 2 && lint.output.contains("first names, stage  handler"), "\(lint)")
        let rehearsed = try store.planned("rehearse", "plan.yml", "--live", "--quiet")
        #expect(rehearsed.status == 0 && rehearsed.output.contains("stage 2 of 2"), "\(rehearsed)")
        let done = try store.planned("apply", "plan.yml", "--quiet")
        #expect(done.status == 0 && done.output.hasPrefix("migrated: 2 stages"), "\(done)")
        #expect(try store.texts("SELECT first FROM author") == ["Ada"])
        #expect(
            try store.texts("SELECT label FROM _howdah_migration ORDER BY number") == [
                "first names", "v2 → v3",
            ])
        #expect(try store.planned("status", "plan.yml").status == 0)
    }

    @Test("A plan prints control characters of a label as escapes")
    func printableLabels() throws {
        let store = try Self.folder()
        try store.folder.write(
            Self.plan.replacing("first names", with: #""\u001b[2J""#), at: "plan.yml")
        try store.make("v1")
        let plan = try store.planned("plan", "plan.yml")
        #expect(plan.output.contains("stage 1 of 2   \\u{1b}[2J   custom"), "\(plan)")
        #expect(!plan.output.contains("\u{1b}"))
    }

    @Test func scriptsCannotEndTheTransaction() throws {
        let store = try Self.folder()
        try store.folder.write(
            Self.plan.replacing("UPDATE author SET _version = _version + 1;", with: "COMMIT; BEGIN;"),
            at: "plan.yml")
        try store.make("v1")
        let refused = try store.planned("apply", "plan.yml", "--quiet")
        #expect(
            refused.status == 1 && refused.complaint.contains("The didMigrate handler failed"), "\(refused)")
        #expect(try store.run("status", "v1").status == 0)
    }

    @Test func whatTheServerSaysOfAScriptIsTold() throws {
        let store = try Self.folder()
        try store.folder.write(
            Self.plan.replacing(
                "UPDATE author SET _version = _version + 1;", with: "UPDATE nowhere SET x = 1;"),
            at: "plan.yml")
        try store.make("v1")
        let refused = try store.planned("apply", "plan.yml", "--quiet")
        #expect(
            refused.status == 1 && refused.complaint.contains("relation \"nowhere\" does not exist"),
            "\(refused)")
    }

    @Test func backLeadsOnlyWhatLosesNothing() throws {
        let store = try Self.folder()
        try store.make("v1")
        #expect(try store.run("apply", "v2").status == 0)
        try store.sql("INSERT INTO author (_id, _version, name, first) VALUES (1, 1, 'Ada Lovelace', 'Ada')")
        let refused = try store.run("apply", "v1")
        #expect(refused.status == 3 && refused.complaint.contains("- Author.first"), "\(refused)")
        #expect(try store.run("status", "v1").status == 3)
        #expect(try store.run("apply", "v1", "--confirm-drop", "Author.first").status == 0)
        try store.folder.write(Self.plan, at: "plan.yml")
        #expect(try store.planned("apply", "plan.yml").status == 0)
        let custom = try store.planned("apply", "plan.yml", "--version", "v1")
        #expect(
            custom.status == 3 && custom.complaint.contains("cannot be reversed, because it has handlers."),
            "\(custom)"
        )
    }

    @Test func stagesAreAddedAndSquashed() throws {
        let store = try Self.folder()
        try store.folder.write(
            "# kept\nmodel: Library.xcdatamodeld\nstages:\n  - versions: [v1, v2]\n", at: "plan.yml")
        func new(_ more: String...) throws -> Tool.Outcome {
            try Tool.run(
                ["migrate", "new", "--plan", "plan.yml", "--model", "Library.xcdatamodeld"] + more,
                in: store.folder)
        }
        #expect(
            try new("--from", "v2", "--to", "v2").complaint.contains(
                "are stored alike, so no stage is needed"))
        let unknown = try new("--from", "v0")
        #expect(unknown.status == 64 && unknown.complaint.contains("with --from-model"), "\(unknown)")
        let added = try new(
            "--from", "v2", "--to", "v3", "--label", "a \"label\"", "--confirm-drop", "Author.name")
        #expect(added.status == 0 && added.output.contains("Author.age added"), "\(added)")
        let text = try String(contentsOfFile: store.folder.path + "/plan.yml", encoding: .utf8)
        #expect(text.hasPrefix("# kept\n") && text.contains("checksum: "), "\(text)")
        let twice = try new("--from", "v1", "--to", "v3")
        #expect(twice.status == 1 && twice.complaint.contains("listed twice"), "\(twice)")
        let squashed = try Tool.run(
            "migrate", "squash", "--plan", "plan.yml", "--stages", "1-2", "--scratch", store.database.url,
            in: store.folder)
        #expect(
            squashed.status == 0 && squashed.output.hasPrefix("2 stages were replaced by one: v1 → v3"),
            "\(squashed)")
        #expect(
            try store.texts("SELECT nspname::text FROM pg_namespace WHERE nspname LIKE 'howdah%'").isEmpty)
        try store.make("v1")
        #expect(try store.planned("apply", "plan.yml").status == 0)
    }

    @Test func waysThatDifferAreNotSquashed() throws {
        let store = try Self.folder()
        try store.folder.write(Self.plan, at: "plan.yml")
        let refused = try Tool.run(
            "migrate", "squash", "--plan", "plan.yml", "--stages", "1-2", "--scratch", store.database.url,
            in: store.folder)
        #expect(
            refused.status == 2 && refused.output.contains("data: only with the listed stages"), "\(refused)")
        #expect(try String(contentsOfFile: store.folder.path + "/plan.yml", encoding: .utf8) == Self.plan)
    }

    @Test func whatGeneratedDataDoNotDoIsSaid() throws {
        let store = try Self.folder()
        try store.folder.write(
            Self.plan.replacing(
                "UPDATE author SET _version = _version + 1;",
                with: "UPDATE author SET first = (1 / (name = 'Ada')::int)::text;"), at: "plan.yml")
        let refused = try Tool.run(
            "migrate", "squash", "--plan", "plan.yml", "--stages", "1-2", "--scratch", store.database.url,
            "--seed", "3", in: store.folder)
        #expect(
            refused.status == 1 && refused.complaint.contains("(--count 20, --seed 3)"),
            "\(refused)")
        let beyond = try Tool.run(
            "migrate", "squash", "--plan", "plan.yml", "--stages", "1-9", "--scratch", store.database.url,
            in: store.folder)
        #expect(beyond.status == 64 && beyond.complaint.contains("has 2 stages"), "\(beyond)")
    }

    @Test func whatIsWrongIsSaidWithItsLine() throws {
        let store = try Self.folder()
        for (text, words) in [
            ("", "has no content"), ("stages: [", "is not valid YAML"), ("stages: []", "\"stages\" is empty"),
            ("stages:\n  - versions: [v1, v2]", "line 2: the version has no model. Add "),
            ("model: M\nstages:\n  - from: v1", "line 3: a stage needs"),
            ("model: M\nstages:\n  - form: v1", "unknown key \"form\""),
            (
                "stages:\n  - versions: [{model: Library.xcdatamodeld, version: v1, checksum: x}, "
                    + "{model: Library.xcdatamodeld, version: v2}]", "the plan expects x"
            ),
        ] {
            try store.folder.write(text, at: "plan.yml")
            let outcome = try store.planned("status", "plan.yml")
            #expect(outcome.status == 1 && outcome.complaint.contains(words), "\(text): \(outcome)")
        }
        for (text, words) in [
            ("model: none\nstages:\n  - versions: [v1, v2]", "does not exist"),
            ("model: Library.xcdatamodeld\nstages:\n  - versions: [v1, v9]", "v9"),
        ] {
            try store.folder.write(text, at: "plan.yml")
            let outcome = try store.planned("status", "plan.yml")
            #expect(outcome.status == 64 && outcome.complaint.contains(words), "\(text): \(outcome)")
        }
        let missing = try store.planned("status", "none.yml")
        #expect(
            missing.status == 64 && missing.complaint.contains("Cannot read the plan none.yml"), "\(missing)")
        try store.folder.write(Self.plan, at: "plan.yml")
        let unknown = try store.planned("status", "plan.yml", "--version", "v9")
        #expect(
            unknown.status == 64 && unknown.complaint.contains("Use one of these: v1, v2, v3"), "\(unknown)")
    }

    @Test func wrongArgumentsAreSaid() throws {
        let store = try Self.folder()
        for (arguments, status, words) in [
            (["status"], 64, "No model is given. Add --model or --plan"),
            (["status", "--model", "Library.xcdatamodeld"], 64, "HOWDAH_DATABASE"),
            (
                ["status", "--model", "Library.xcdatamodeld", "--version", "v1", "--database", "nonsense"], 1,
                "connection string"
            ),
            (
                ["status", "--model", "none.xcdatamodeld", "--database", store.database.url], 64,
                "does not exist"
            ),
            (
                [
                    "status", "--model", "Library.xcdatamodeld", "--version", "v9", "--database",
                    store.database.url,
                ], 64, "v1, v2, v3"
            ),
            (["status", "--model", "a", "--plan", "b"], 64, "--model and --plan"),
            (["history", "--database", ""], 64, "--database is empty. Give a URL such as postgres://"),
            (["apply", "--model", "a", "--lock-timeout", "0"], 64, "--lock-timeout"),
            (["finish", "--lock-budget", "-1"], 64, "--lock-budget"),
            (
                ["lint", "--model", "Library.xcdatamodeld", "--from", "v9"], 64,
                "Use one of these: v1, v2, v3"
            ),
            (
                [
                    "lint", "--model", "Library.xcdatamodeld", "--from", "v2", "--version", "v3",
                    "--confirm-drop", "Author.nam",
                ], 64, "Did you mean Author.name?"
            ),
            (["squash", "--plan", "p", "--scratch", "s", "--stages", "4-2"], 64, "--stages"),
            (["rehearse", "--model", "a", "--live", "--clone", "b"], 64, "--clone"),
            (["rehearse", "--model", "a", "--clone", ""], 64, "--clone is empty. Give a URL"),
            (["verify", "--scratch", " "], 64, "--scratch is empty. Give a URL"),
            (["baseline", "--model", "a", "--scratch", ""], 64, "--scratch is empty. Give a URL"),
            (
                ["squash", "--plan", "p", "--scratch", "", "--stages", "1-2"], 64,
                "--scratch is empty. Give a URL"
            ),
        ] as [([String], Int32, String)] {
            let outcome = try Tool.run(["migrate"] + arguments, in: store.folder)
            #expect(outcome.status == status && outcome.complaint.contains(words), "\(arguments): \(outcome)")
        }
    }
}
