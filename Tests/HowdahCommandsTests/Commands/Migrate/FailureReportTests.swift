import Foundation
import HowdahTesting
import PQClient
import Testing

/// What programs that run commands are told where one fails.
@Suite struct FailureReportTests {
    private static func folder() throws -> MigrationFolder {
        let (name, age) = (MigrationFolder.attribute("name"), MigrationFolder.attribute("age", "Integer 32"))
        return try MigrationFolder([
            "v1": name, "v2": MigrationFolder.attribute("fullName"), "v3": name + age,
            "v4": "<attribute name=\"name\" attributeType=\"String\"/>",
        ])
    }

    /// The object under `error`, where the output is JSON and the same exit status is in it.
    private static func failure(_ outcome: Tool.Outcome) throws -> [String: Any] {
        let parsed = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8))
        let report = try #require(parsed as? [String: Any], "\(outcome)")
        #expect(report["status"] as? Int32 == outcome.status, "\(outcome)")
        #expect(!outcome.complaint.contains("Error"), "\(outcome)")
        let error = try #require(report["error"] as? [String: Any], "\(outcome)")
        #expect((error["message"] as? String)?.isEmpty == false, "\(outcome)")
        return error
    }

    @Test func everyKindOfFailureIsJSON() throws {
        let store = try Self.folder()
        try store.make("v1")
        try store.sql("INSERT INTO author (_id, _version) VALUES (1, 1)")
        try store.sql("INSERT INTO author (_id, _version, name) VALUES (2, 1, 'Ada')")
        for (outcome, status, code) in [
            (try store.run("apply", "v2", "--json"), 3, "notInferable"),
            (try store.run("plan", "v2", "--json"), 3, "notInferable"),
            (try store.run("apply", "v4", "--json", "--quiet"), 4, "unfitData"),
            (try store.run("status", "v9", "--json"), 64, "unknownVersion"),
            (try store.run("apply", "v2", "--json", "--confirm-drop", "Author.nmae"), 64, "usage"),
            (try store.run("apply", "v3", "--json", "--nonsense"), 64, "usage"),
            (try store.planned("apply", "none.yml", "--json"), 64, "unreadable"),
            (try store.operate("history", "--json", "--schema", "nothing"), 1, "notAStore"),
            (try store.operate("finish", "--json", "--schema", "nothing"), 1, "notAStore"),
            (try store.operate("verify", "--json", "--schema", "nothing"), 1, "notAStore"),
            (try store.run("rehearse", "v3", "--live", "--json", "--schema", "nothing"), 1, "notAStore"),
            (try store.run("baseline", "v1", "--json"), 1, "notAStore"),
            (try Tool.run("migrate", "status", "--json", in: store.folder), 64, "usage"),
            (
                try Tool.run(
                    "migrate", "status", "--json", "--model", "Library.xcdatamodeld", "--version", "v1",
                    in: store.folder), 64, "usage"
            ),
            (
                try Tool.run(
                    "migrate", "doctor", "--json", "--database", "host=/nowhere", in: store.folder), 1,
                "connectionFailed"
            ),
        ] as [(Tool.Outcome, Int32, String)] {
            #expect(outcome.status == status, "\(outcome)")
            #expect(try Self.failure(outcome)["code"] as? String == code, "\(outcome)")
        }
    }

    @Test func aFileThatAPlanNamesIsAnArgument() throws {
        let store = try Self.folder()
        let versions = "model: Library.xcdatamodeld\nstages:\n  - "
        for (plan, code) in [
            ("stages:\n  - versions: [{model: none.json}, {model: gone.json}]\n", "unreadable"),
            (versions + "versions: [v1, v9]\n", "unknownVersion"),
            (versions + "{from: v1, to: v2, mapping: none.json}\n", "unreadable"),
        ] {
            try store.folder.write(plan, at: "plan.yml")
            for command in ["plan", "apply"] {
                let outcome = try store.planned(command, "plan.yml", "--json")
                #expect(outcome.status == 64, "\(outcome)")
                #expect(try Self.failure(outcome)["code"] as? String == code, "\(outcome)")
            }
        }
    }

    @Test func aSessionThatCanOnlyReadIsNamed() throws {
        let store = try Self.folder()
        try store.folder.write(
            "model: Library.xcdatamodeld\nstages:\n  - versions: [v1, v3]\n  - versions: [v3, v4]\n",
            at: "plan.yml")
        let outcome = try Tool.run(
            "migrate", "squash", "--plan", "plan.yml", "--stages", "1-2", "--scratch",
            store.database.url + "&options=-c%20default_transaction_read_only%3Don", in: store.folder)
        #expect(outcome.status == 1, "\(outcome)")
        #expect(
            outcome.complaint.contains(
                "The database session can only read. Use the address of the primary server, and a role that may write. Cause: "
            ), "\(outcome)")
    }

    @Test func aDatabaseThatCannotBeReachedIsSaidOnce() throws {
        let store = try Self.folder()
        for command in [
            ["history"], ["verify"],
            ["rehearse", "--live", "--model", "Library.xcdatamodeld", "--version", "v1"],
        ] {
            let outcome = try Tool.run(
                ["migrate"] + command + ["--database", "host=/nowhere"], in: store.folder)
            #expect(outcome.status == 1, "\(outcome)")
            #expect(
                outcome.complaint.contains(
                    "The database cannot be reached. Check the address and that the server runs. Cause: "),
                "\(outcome)")
            #expect(outcome.complaint.ranges(of: "/nowhere").count == 1, "\(outcome)")
        }
    }

    @Test func whatConfirmsIsAField() throws {
        let store = try Self.folder()
        try store.make("v1")
        try store.sql("INSERT INTO author (_id, _version, name) VALUES (1, 1, 'Ada')")
        let error = try Self.failure(try store.run("apply", "v2", "--json"))
        let refusals = try #require(error["refusals"] as? [[String: Any]])
        #expect(refusals.map { $0["confirmation"] as? String } == ["Author.name"])
    }

    /// The server's detail of a violated rule is the whole row, and the message of a conversion has the value.
    @Test(arguments: [
        ("ALTER TABLE author ADD CHECK (age IS NULL); UPDATE author SET age = 1", "23514"),
        ("UPDATE author SET age = CAST(name AS int)", "22P02"),
        (
            "CREATE UNIQUE INDEX ON author (name); INSERT INTO author (_id, _version, name) SELECT 9, 1, name FROM author",
            "23505"
        ),
    ])
    func contentsOfRowsAreInNoMessage(_ script: String, _ state: String) throws {
        let store = try Self.folder()
        try store.make("v1")
        try store.sql("INSERT INTO author (_id, _version, name) VALUES (1, 1, 'Countess')")
        try store.folder.write(
            """
            model: Library.xcdatamodeld
            stages:
              - from: v1
                to: v3
                didMigrate: \(script)
            """, at: "plan.yml")
        let outcomes = [
            try store.planned("apply", "plan.yml", "--quiet"),
            try store.planned("apply", "plan.yml", "--quiet", "--json"),
        ]
        for outcome in outcomes {
            #expect(outcome.status == 1, "\(outcome)")
            #expect(!(outcome.output + outcome.complaint).contains("Countess"), "\(outcome)")
        }
        #expect(try Self.failure(outcomes[1])["sqlstate"] as? String == state)
    }

    @Test func theServersStateIsAField() throws {
        let store = try Self.folder()
        try store.make("v1")
        try store.folder.write(
            """
            model: Library.xcdatamodeld
            stages:
              - from: v1
                to: v3
                didMigrate: UPDATE nowhere SET x = 1
            """, at: "plan.yml")
        let error = try Self.failure(try store.planned("apply", "plan.yml", "--json", "--quiet"))
        #expect(error["code"] as? String == "handlerFailed" && error["sqlstate"] as? String == "42P01")
        let fields = try #require(error["fields"] as? [String: String])
        #expect(fields["server"]?.contains("nowhere") == true, "\(fields)")
        #expect(try store.planned("apply", "plan.yml", "--quiet").output.isEmpty)
    }

    /// As long as somebody has the table.
    @Test func locksAreWaitedForAsLongAsIsSaid() throws {
        let store = try Self.folder()
        try store.make("v1")
        let holder = try store.connect()
        defer { holder.close() }
        try holder.executeScript("BEGIN; LOCK TABLE author IN ACCESS EXCLUSIVE MODE")
        let patience = ["--lock-timeout", "0.05", "--lock-budget", "0.2"]
        for command in [["apply"], ["rehearse", "--live", "--budget", "60"]] {
            let outcome = try Tool.run(
                ["migrate"] + command + patience + [
                    "--model", "Library.xcdatamodeld", "--version", "v3", "--json", "--quiet", "--database",
                    store.database.url,
                ], in: store.folder)
            #expect(outcome.status == 5, "\(outcome)")
            #expect(try Self.failure(outcome)["code"] as? String == "lockTimeout", "\(outcome)")
        }
        try holder.executeScript("ROLLBACK")
        #expect(try store.run("apply", "v4", "--defer").status == 0)
        try holder.executeScript("BEGIN; LOCK TABLE author IN ACCESS EXCLUSIVE MODE")
        let finishing = try store.operate(
            "finish", "--lock-timeout", "0.05", "--lock-budget", "0.2", "--json")
        #expect(finishing.status == 5, "\(finishing)")
        #expect(try Self.failure(finishing)["code"] as? String == "lockTimeout", "\(finishing)")
    }

    @Test func whatApplyDidIsJSON() throws {
        let store = try Self.folder()
        func outcome(_ version: String) throws -> [String: Any] {
            let done = try store.run("apply", version, "--json", "--quiet")
            #expect(done.status == 0, "\(done)")
            let parsed = try JSONSerialization.jsonObject(with: Data(done.output.utf8))
            return try #require(parsed as? [String: Any])
        }
        for (version, word, stages) in [("v1", "made", 0), ("v1", "current", 0), ("v3", "migrated", 1)] {
            let done = try outcome(version)
            #expect(done["outcome"] as? String == word && done["version"] as? String == version, "\(done)")
            #expect((done["stages"] as? [Any])?.count == stages, "\(done)")
            #expect(try store.texts("SELECT checksum FROM _howdah_store") == [done["checksum"] as? String])
        }
    }
}
