import Foundation
import HowdahTesting
import TestSupport
import Testing

/// What a plan would do, before it does it.
@Suite struct RehearsalTests {
    private static func folder() throws -> MigrationFolder {
        try MigrationFolder([
            "v1": MigrationFolder.attribute("name") + MigrationFolder.attribute("age", "Integer 32"),
            "v2": MigrationFolder.attribute("title", "String", "elementID=\"name\"")
                + MigrationFolder.attribute("age", "Integer 64"),
            "v3": "<attribute name=\"title\" attributeType=\"String\" elementID=\"name\"/>",
        ])
    }

    /// A store of the first version, and a plan that takes a minute.
    private static func slowStore() throws -> MigrationFolder {
        let store = try folder()
        try store.make("v1")
        try store.folder.write(
            """
            model: Library.xcdatamodeld
            stages:
              - from: v1
                to: v2
                label: slow
                didMigrate: SELECT pg_sleep(600)
            """, at: "plan.yml")
        return store
    }

    @Test func lintNamesStepsWithWhatAvoidsThem() throws {
        let store = try Self.folder()
        let lint = try Tool.run(
            "migrate", "lint", "--model", "Library.xcdatamodeld", "--version", "v2", "--from", "v1",
            in: store.folder)
        #expect(lint.status == 2, "\(lint)")
        for words in ["warning  inferred, step 1  rename", "rewrite", "Add an attribute of the new type"] {
            #expect(lint.output.contains(words), "\(words): \(lint.output)")
        }
        try store.make("v1")
        try store.sql("ANALYZE author")
        let known = try store.run("lint", "v2", "--json")
        #expect(known.output.contains("\"severity\" : \"note\""), "\(known)")
        try store.sql(
            "INSERT INTO author (_id, _version) SELECT n, 1 FROM generate_series(1, 20000) n; ANALYZE author")
        let large = try store.run("lint", "v3")
        #expect(
            large.status == 2 && large.output.contains("scan") && large.output.contains("drop"), "\(large)")
        let plan = try store.run("plan", "v2")
        #expect(plan.output.contains("about 20000 rows"), "\(plan)")
        #expect(try store.run("lint", "v1").output == "Nothing blocks or breaks programs.\n")
    }

    @Test func aRehearsalTellsWhatItTookAndLeavesNothing() throws {
        let store = try Self.folder()
        try store.make("v1")
        try store.sql(
            "INSERT INTO author (_id, _version, name, age) SELECT n, 1, 'a' || n, n FROM generate_series(1, 100) n"
        )
        let report = try store.run("rehearse", "v2", "--live", "--quiet")
        #expect(report.status == 0 && report.complaint.isEmpty, "\(report)")
        for words in [
            "rewritten: author", "locked: author AccessExclusiveLock",
            "the migration would succeed; everything was rolled back",
        ] {
            #expect(report.output.contains(words), "\(words): \(report.output)")
        }
        #expect(try store.run("status", "v1").status == 0)
        #expect(try store.texts("SELECT to_regclass('_howdah_migration')::text") == ["nil"])
        try store.sql("UPDATE author SET name = NULL WHERE _id = 5")
        let unfit = try store.run("rehearse", "v3", "--live", "--json", "--confirm-drop", "Author.age")
        #expect(unfit.status == 2 && unfit.output.contains("1 object (Author 5)"), "\(unfit)")
    }

    @Test func aRehearsalEndsWithItsBudget() throws {
        let store = try Self.slowStore()
        let late = try store.planned("rehearse", "plan.yml", "--live", "--budget", "1")
        #expect(
            late.status == 2
                && late.output.contains(
                    "cancelled after its budget of 1 s, in stage 1 of 1, didMigrate handler"),
            "\(late)")
        #expect(try store.run("status", "v1").status == 0)
    }

    @Test func aCloneIsAnotherDatabase() throws {
        let store = try Self.folder()
        try store.make("v1")
        let same = try store.run("rehearse", "v2", "--clone", store.database.url)
        #expect(same.status == 1 && same.complaint.contains("is the database itself"), "\(same)")
        let copy = try Self.folder()
        try copy.make("v1")
        let other = try store.run("rehearse", "v2", "--clone", copy.database.url)
        #expect(other.status == 0, "\(other)")
        #expect(try copy.run("apply", "v3", "--confirm-drop", "Author.age", "--quiet").status == 0)
        let stale = try store.run("rehearse", "v2", "--clone", copy.database.url)
        #expect(stale.status == 1 && stale.complaint.contains("is not a copy of --database"), "\(stale)")
        #expect(try store.run("rehearse", "v2").status == 64)
    }

    @Test("A rehearsal on a clone names the address whose role lacks a permission")
    func permissions() throws {
        let (store, copy) = (try Self.folder(), try Self.folder())
        try store.make("v1")
        try copy.make("v1")
        let role = "clerk_\(UInt32.random(in: 0 ... .max))"
        try store.sql("CREATE ROLE \(role) LOGIN")
        defer { try? store.sql("DROP ROLE \(role)") }
        func complaint(_ url: String, _ clone: String) throws -> String {
            let found = try Tool.run(
                "migrate", "rehearse", "--model", "Library.xcdatamodeld", "--version", "v2", "--database",
                url, "--clone", clone, in: store.folder)
            #expect(found.status == 1, "\(found)")
            return found.complaint
        }
        func asClerk(_ url: String) -> String { url.replacing("user=postgres", with: "user=\(role)") }
        let original = try complaint(asClerk(store.database.url), copy.database.url)
        #expect(original.contains("role of --database has no permission for the store"), "\(original)")
        let clone = try complaint(store.database.url, asClerk(copy.database.url))
        #expect(clone.contains("role of --clone has no permission for the copy"), "\(clone)")
    }

    @Test func aSignalRollsBack() throws {
        let store = try Self.slowStore()
        let complaint = store.folder.path + "/complaint"
        let process = try Tool.begin(
            "migrate", "apply", "--plan", "plan.yml", "--database", store.database.url, in: store.folder,
            complaint: complaint)
        let sleeping =
            "SELECT count(*)::text FROM pg_stat_activity WHERE query LIKE 'DO LANGUAGE plpgsql%' "
            + "AND state = 'active' AND datname = current_database()"
        var patience = 6_000
        while try store.texts(sleeping) == ["0"], patience > 0 {
            usleep(50_000)
            patience -= 1
        }
        #expect(
            try store.operate("doctor").output.contains("another program is working on the store (session"))
        process.terminate()
        #expect(process.waitForEnd() == 143)
        let told = try String(contentsOfFile: complaint, encoding: .utf8)
        #expect(told.contains("cancelling …") && told.contains("Cancelled by SIGTERM"), "\(told)")
        #expect(try store.run("status", "v1").status == 0)
    }

    @Test func statementsSayWhatTheyAreFor() throws {
        let store = try Self.folder()
        try store.make("v1")
        try store.sql("INSERT INTO author (_id, _version, name) VALUES (1, 1, 'a')")
        let applied = try store.run("apply", "v2")
        #expect(applied.complaint.contains("stage 1 of 1: step 1 of "), "\(applied)")
        #expect(applied.complaint.contains("stage 1 of 1: done"), "\(applied)")
    }
}
