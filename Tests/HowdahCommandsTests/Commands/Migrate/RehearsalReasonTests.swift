import Foundation
import HowdahTesting
import PQClient
import Synchronization
import Testing

/// A rehearsal does what the migration does first, and says why it would not go through.
@Suite struct RehearsalReasonTests {
    private static let unique =
        "<uniquenessConstraints><uniquenessConstraint><constraint value=\"name\"/></uniquenessConstraint></uniquenessConstraints>"

    private static func folder() throws -> MigrationFolder {
        let name = MigrationFolder.attribute("name")
        let store = try MigrationFolder([
            "v1": name + MigrationFolder.attribute("nick"),
            "v2": name + MigrationFolder.attribute("nick") + unique,
            "v3": name + MigrationFolder.attribute("age", "Integer 32") + unique,
            "v4": name,
            "v5": "<attribute name=\"name\" attributeType=\"String\"/>" + MigrationFolder.attribute("nick")
                + unique,
        ])
        try store.make("v1")
        try store.sql("INSERT INTO author (_id, _version, name) VALUES (1, 1, 'a'), (2, 1, 'a')")
        return store
    }

    @Test func whatIsPendingIsRehearsedFirst() throws {
        let store = try Self.folder()
        #expect(try store.run("apply", "v2", "--defer", "--quiet").status == 4)
        let plan = try store.run("plan", "v3", "--confirm-drop", "Author.nick")
        #expect(plan.output.hasPrefix("first, 1 step left by an earlier migration:\n"), "\(plan)")
        func rehearse() throws -> Tool.Outcome {
            try store.run("rehearse", "v3", "--live", "--confirm-drop", "Author.nick")
        }
        let stuck = try rehearse()
        #expect(stuck.status == 2 && stuck.output.contains("2 objects (Author 1, Author 2)"), "\(stuck)")
        #expect(
            stuck.output.contains(
                "the pending work of an earlier migration has to finish before the migration"), "\(stuck)")
        try store.sql("UPDATE author SET name = 'b' WHERE _id = 2")
        let report = try rehearse()
        #expect(report.status == 0, "\(report)")
        for words in [
            "stage 1 of 2  pending work of an earlier migration", "stage 2 of 2  ",
            "the migration would succeed",
        ] {
            #expect(report.output.contains(words), "\(words): \(report)")
        }
        #expect(report.complaint.contains("pending work: 1 step"), "\(report)")
        #expect(try store.texts("SELECT reason FROM _howdah_pending") == ["Author.name is unique"])
        let applied = try store.run("apply", "v3", "--confirm-drop", "Author.nick", "--quiet")
        #expect(applied.status == 0, "\(applied)")
    }

    /// An interrupted run left them, and `apply` would do them next.
    @Test func theOnlineStepsThatAreLeftAreRehearsed() throws {
        let store = try Self.folder()
        #expect(try store.run("apply", "v2", "--defer", "--quiet").status == 4)
        func rehearse(_ more: String...) throws -> Tool.Outcome {
            try Tool.run(
                [
                    "migrate", "rehearse", "--model", "Library.xcdatamodeld", "--version", "v2", "--live",
                    "--quiet", "--database", store.database.url,
                ] + more, in: store.folder)
        }
        let stuck = try rehearse()
        #expect(stuck.status == 2 && stuck.output.contains("2 objects (Author 1, Author 2)"), "\(stuck)")
        #expect(stuck.output.contains("rows of the store do not fit the model"), "\(stuck)")
        // The control: it is the rows that it reports, and it leaves the step.
        try store.sql("UPDATE author SET name = 'b' WHERE _id = 2")
        let fit = try rehearse()
        #expect(fit.status == 0 && fit.output.contains("the migration would succeed"), "\(fit)")
        #expect(fit.output.contains("stage 1 of 1  pending work of an earlier migration"), "\(fit)")
        #expect(try store.texts("SELECT reason FROM _howdah_pending") == ["Author.name is unique"])
        #expect(try store.run("apply", "v2", "--quiet").status == 0)
        #expect(try rehearse().output == "The store already has the model.\n")
        #expect(try rehearse("--json").output == "null\n")
    }

    @Test func anIndexOfAnotherProgramIsInTheWayOfARehearsalToo() throws {
        let store = try Self.folder()
        #expect(try store.run("apply", "v2", "--defer", "--quiet").status == 4)
        try store.sql("UPDATE author SET name = 'b' WHERE _id = 2")
        let index = try #require(
            try store.texts("SELECT quote_ident(step -> 'work' -> 'index' ->> '_0') FROM _howdah_pending")
                .first)
        for (creation, removal) in [
            ("CREATE INDEX \(index) ON author (nick)", "DROP INDEX \(index)"),
            (
                "ALTER TABLE author ADD CONSTRAINT \(index) UNIQUE (nick)",
                "ALTER TABLE author DROP CONSTRAINT \(index)"
            ),
        ] {
            try store.sql(creation)
            let report = try store.run("rehearse", "v2", "--live", "--quiet")
            #expect(report.status == 2, "\(report)")
            let words = "another index has the name"
            #expect(report.output.contains(words), "\(report)")
            #expect(report.output.contains("ended early: the server refused step 1 of 1"), "\(report)")
            let applied = try store.run("apply", "v2", "--quiet")
            #expect(applied.status == 4 && applied.complaint.contains(words), "\(applied)")
            try store.sql(removal)
        }
        // The control: an index that an interrupted run finished is used.
        let build = try #require(
            try store.texts("SELECT step -> 'statements' ->> 0 FROM _howdah_pending").first)
        try store.sql(build.replacing(" CONCURRENTLY", with: ""))
        let report = try store.run("rehearse", "v2", "--live", "--quiet")
        #expect(report.status == 0 && report.output.contains("Author.name is unique"), "\(report)")
        #expect(try store.run("apply", "v2", "--quiet").status == 0)
        #expect(try store.operate("verify").status == 0)
    }

    @Test func theRoleOfStepsThatAreLeftIsChecked() throws {
        let store = try Self.folder()
        #expect(try store.run("apply", "v2", "--defer", "--quiet").status == 4)
        try store.sql("UPDATE author SET name = 'b' WHERE _id = 2")
        let role = "guest_" + String(UInt32.random(in: .min ... .max), radix: 36)
        try store.sql("CREATE ROLE \(role) LOGIN; GRANT SELECT ON ALL TABLES IN SCHEMA public TO \(role)")
        defer { try? store.sql("DROP OWNED BY \(role); DROP ROLE \(role)") }
        let url = store.database.url.replacing("user=postgres", with: "user=\(role)")
        for command in [["rehearse", "--live"], ["apply"]] {
            let refused = try Tool.run(
                ["migrate"] + command + [
                    "--model", "Library.xcdatamodeld", "--version", "v2", "--quiet", "--database", url,
                ], in: store.folder)
            #expect(refused.status == 1, "\(refused)")
            #expect(refused.complaint.contains("and \(role) cannot change it."), "\(refused)")
        }
        #expect(try store.run("rehearse", "v2", "--live", "--quiet").status == 0)
    }

    @Test func aBudgetThatEndsWithoutALockNamesNone() throws {
        let store = try Self.folder()
        #expect(try store.run("apply", "v2", "--defer", "--quiet").status == 4)
        try store.sql(
            """
            CREATE FUNCTION slow() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(600); END';
            CREATE EVENT TRIGGER slow ON ddl_command_start WHEN TAG IN ('CREATE INDEX') EXECUTE FUNCTION slow()
            """)
        let late = try store.run("rehearse", "v2", "--live", "--quiet", "--budget", "1")
        #expect(late.status == 2, "\(late)")
        #expect(late.output.contains(". Rehearse again with a longer budget."), "\(late)")
        #expect(!late.output.contains("was locked by"), "\(late)")
        try store.sql(
            "CREATE OR REPLACE FUNCTION slow() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN RAISE ''no''; END'"
        )
        let refused = try store.run("rehearse", "v2", "--live", "--quiet")
        #expect(refused.status == 2, "\(refused)")
        // Not the rows are the reason.
        #expect(refused.output.contains("ended early: the server refused step 1 of 1"), "\(refused)")
    }

    @Test func rowsThatBreakARuleAreNamedOnce() throws {
        let store = try Self.folder()
        try store.sql("INSERT INTO author (_id, _version) VALUES (3, 1)")
        let report = try store.run("rehearse", "v5", "--live", "--quiet")
        #expect(report.status == 2, "\(report)")
        #expect(report.output.split(separator: "\n").count { $0.hasPrefix("  ! ") } == 2, "\(report)")
        for words in ["1 object (Author 3)", "2 objects (Author 1, Author 2)"] {
            #expect(report.output.contains(words), "\(words): \(report)")
        }
    }

    @Test func aSessionThatEndsInAHandlerIsNoFaultOfTheHandler() throws {
        let store = try Self.folder()
        try store.folder.write(
            """
            model: Library.xcdatamodeld
            stages:
              - label: end
                from: v1
                to: v4
                confirmedDrops: [Author.nick]
                didMigrate: SELECT pg_terminate_backend(pg_backend_pid())
            """, at: "plan.yml")
        let words = "The didMigrate handler was interrupted, because the database session ended. "
        let applied = try store.planned("apply", "plan.yml", "--quiet")
        #expect(applied.status == 1, "\(applied)")
        #expect(applied.complaint.contains(words + "The store has the version v1. Try again."), "\(applied)")
        let report = try store.planned("rehearse", "plan.yml", "--live", "--quiet")
        #expect(report.status == 2, "\(report)")
        #expect(report.output.contains(words + "The store is unchanged. Try again."), "\(report)")
    }

    /// What the next version no longer asks for is not done, and not in the way.
    @Test func whatIsGivenUpIsNotDone() throws {
        let store = try Self.folder()
        #expect(try store.run("apply", "v2", "--defer", "--quiet").status == 4)
        let plan = try store.run("plan", "v4", "--confirm-drop", "Author.nick")
        #expect(
            plan.output.hasPrefix(
                "1 step left by an earlier migration is not needed: Author.name is unique\n"),
            "\(plan)")
        #expect(try store.run("rehearse", "v4", "--live", "--quiet").status == 0)
        #expect(try store.run("apply", "v4", "--quiet").status == 0)
        #expect(try store.texts("SELECT to_regclass('_howdah_pending')::text") == ["nil"])
        #expect(try store.operate("verify").status == 0)
    }

    @Test func whatDependsOnAColumnIsNamed() throws {
        let store = try Self.folder()
        try store.sql("CREATE VIEW report AS SELECT nick FROM author")
        let report = try store.run("rehearse", "v4", "--live", "--confirm-drop", "Author.nick")
        for words in [
            "other objects depend on an object that this step removes (view report depends on column nick of table author)",
            "locked: author AccessExclusiveLock", "the server refused step",
        ] {
            #expect(
                report.output.replacing("public.", with: "").contains(words), "\(words): \(report)")
        }
        #expect(report.status == 2)
        let applied = try store.run("apply", "v4", "--confirm-drop", "Author.nick", "--quiet")
        #expect(applied.status == 1, "\(applied)")
        for words in [
            "failed, because other objects depend on an object that this step removes (view report depends",
            "The store is unchanged. Drop these other objects, or create them again without the removed one.",
        ] {
            #expect(
                applied.complaint.replacing("public.", with: "").contains(words), "\(words): \(applied)")
        }
        #expect(!applied.complaint.contains("CASCADE"), "\(applied)")
        for number in 1...6 { try store.sql("CREATE VIEW report\(number) AS SELECT nick FROM author") }
        let many = try store.run("rehearse", "v4", "--live", "--confirm-drop", "Author.nick")
        #expect(many.output.contains("author, and 2 more). Drop these other objects"), "\(many)")
    }

    @Test func whoHoldsATableIsNamedWhenTheBudgetIsSpent() throws {
        let store = try Self.folder()
        let other = try store.connect()
        defer { other.close() }
        try other.begin()
        try other.executeScript("UPDATE author SET name = name")
        let report = try store.run(
            "rehearse", "v4", "--live", "--confirm-drop", "Author.nick", "--budget", "1", "--quiet")
        #expect(report.status == 2 || report.status == 5, "\(report)")
        let name = "'author' is locked by session \(other.backendProcessID)"
        #expect((report.output + report.complaint).contains(name), "\(report)")
    }

    @Test func aTableLockDoesNotHoldUpFinishingWithoutEnd() throws {
        let store = try Self.folder()
        #expect(try store.run("apply", "v2", "--defer", "--quiet").status == 4)
        try store.sql("UPDATE author SET name = 'b' WHERE _id = 2")
        let other = try store.connect()
        defer { other.close() }
        try other.begin()
        try other.executeScript("LOCK TABLE author IN SHARE UPDATE EXCLUSIVE MODE")
        let late = try store.operate("finish", "--lock-timeout", "2", "--lock-budget", "0.5")
        #expect(late.status == 5, "\(late)")
        #expect(
            late.complaint.contains("'author' is locked by session \(other.backendProcessID)"), "\(late)")
        try other.rollback()
        // Those that write are no reason to wait for the table.
        #expect(try store.operate("finish").status == 0)
    }

    @Test func theDoctorLeavesHalfBuiltIndexesToFinishing() throws {
        let store = try Self.folder()
        #expect(try store.run("apply", "v2", "--defer", "--quiet").status == 4)
        let name = try #require(
            try store.texts("SELECT step -> 'work' -> 'index' ->> '_0' FROM _howdah_pending").first)
        try store.sql(
            """
            CREATE INDEX "\(name)" ON author (name);
            UPDATE pg_index SET indisvalid = false WHERE indexrelid = '\(name)'::regclass
            """)
        let found = try store.operate("doctor")
        #expect(found.output.contains("Run howdah migrate finish to build \(name) again."), "\(found)")
    }

    @Test func aStoreIsNotLeftWithoutItsRecord() throws {
        let store = try Self.folder()
        try store.folder.write(
            """
            model: Library.xcdatamodeld
            stages:
              - from: v1
                to: v4
                confirmedDrops: [Author.nick]
                didMigrate: DELETE FROM _howdah_store
            """, at: "plan.yml")
        let applied = try store.planned("apply", "plan.yml", "--confirm-drop", "Author.nick", "--quiet")
        #expect(
            applied.status == 1 && applied.complaint.contains("of the stage deleted the store's record"),
            "\(applied)"
        )
        #expect(try store.run("status", "v1").status == 0)
    }

    @Test func onlyOneOfManyMakesTheStore() throws {
        // Nobody changes what is in it.
        nonisolated(unsafe) let store = try MigrationFolder(["v1": MigrationFolder.attribute("name")])
        let start = DispatchGroup()
        let outputs = Mutex<[String]>([])
        for _ in 0..<6 {
            DispatchQueue.global().async(group: start) {
                if let made = try? store.run("apply", "v1", "--json") {
                    outputs.withLock { $0.append(made.output) }
                }
            }
        }
        start.wait()
        let all = outputs.withLock { $0 }
        #expect(all.count { $0.contains("\"outcome\" : \"made\"") } == 1, "\(all)")
        #expect(all.count { $0.contains("\"outcome\" : \"current\"") } == 5, "\(all)")
    }
}
