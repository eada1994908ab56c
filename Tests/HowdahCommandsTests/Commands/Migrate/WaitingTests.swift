import Foundation
import HowdahTesting
import PQClient
import TestSupport
import Testing

/// What operators are told while something is waited for, cancelled or killed.
@Suite struct WaitingTests {
    private static func folder() throws -> MigrationFolder {
        let name = MigrationFolder.attribute("name")
        return try MigrationFolder([
            "v1": name + MigrationFolder.attribute("nick"),
            "v2": name
                + "<uniquenessConstraints><uniquenessConstraint><constraint value=\"name\"/>"
                + "</uniquenessConstraint></uniquenessConstraints>",
            "v4": name + MigrationFolder.attribute("nick")
                + "<uniquenessConstraints><uniquenessConstraint><constraint value=\"name\"/>"
                + "</uniquenessConstraint></uniquenessConstraints>",
            "v3": name + MigrationFolder.attribute("age", "Integer 32"),
        ])
    }

    /// Waits for something that comes sooner or later, and gives up where it does not.
    private static func wait(_ what: String, _ isThere: () throws -> Bool) throws {
        var patience = 1200
        while try !isThere() {
            patience -= 1
            try #require(patience > 0, "\(what) did not come")
            usleep(50_000)
        }
    }

    private static func text(_ path: String) -> String {
        (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    }

    /// A session with a transaction that has written to the table.
    private static func writer(_ store: MigrationFolder) throws -> Connection {
        let connection = try store.connect()
        try connection.executeScript("SET application_name = 'nightly import'")
        try connection.begin()
        _ = try connection.query("UPDATE author SET name = name", cached: false)
        return connection
    }

    @Test func finishingSaysWhomItWaitsForAndIsCancelled() throws {
        let store = try Self.folder()
        try store.make("v1")
        try store.sql("INSERT INTO author (_id, _version, name) VALUES (1, 1, 'a'), (2, 1, 'a')")
        #expect(try store.run("apply", "v4", "--defer", "--quiet").status == 4)
        try store.sql("UPDATE author SET name = 'b' WHERE _id = 2")
        let writer = try Self.writer(store)
        defer { writer.close() }
        let complaint = store.folder.path + "/complaint"
        let process = try Tool.begin(
            "migrate", "finish", "--database", store.database.url, in: store.folder, complaint: complaint)
        try Self.wait("the name of the writer") {
            Self.text(complaint).contains(
                "waiting: the index build continues when the transaction of session "
                    + "\(writer.backendProcessID) of nightly import")
        }
        let statements = try store.texts(
            "SELECT query FROM pg_stat_activity WHERE datname = current_database() AND query LIKE "
                + "'/* howdah migrate: pending step 1 of 1 (online), on % */ CREATE UNIQUE INDEX CONCURRENTLY%'"
        )
        #expect(statements.count == 1)
        process.interrupt()
        #expect(process.waitForEnd() == 130)
        let told = Self.text(complaint)
        for words in [
            "pending work: 1 step", "pending work: step 1 of 1, ", "Cancelled by SIGINT",
            "pending  Author.name is unique",
        ] {
            #expect(told.contains(words), "\(words): \(told)")
        }
        try writer.rollback()
        let done = try store.operate("finish")
        #expect(done.status == 0 && done.complaint.contains("pending work: step 1 of"), "\(done)")
        #expect(try store.operate("finish", "--quiet").complaint.isEmpty)
        #expect(try store.operate("verify").status == 0)
    }

    @Test func whatStandsInTheWayOfFinishingIsNamed() throws {
        let store = try Self.folder()
        try store.make("v1")
        try store.sql("CREATE VIEW report AS SELECT nick FROM author")
        #expect(
            try store.run("apply", "v2", "--defer", "--confirm-drop", "Author.nick", "--quiet").status == 0)
        let pending = try store.operate("doctor")
        #expect(
            pending.output.contains("note     pending: 1 step of a deferred migration since 2"), "\(pending)")
        #expect(pending.output.contains("→ Run howdah migrate finish.\n"), "\(pending)")
        let stuck = try store.operate("finish")
        #expect(stuck.status == 4, "\(stuck)")
        let reason =
            "other objects depend on an object that this step removes (view public.report depends on column"
        #expect(
            stuck.complaint.contains(reason) && stuck.complaint.contains("Drop these other objects"),
            "\(stuck)")
        #expect(try store.run("status", "v2").output.contains(reason))
        let ill = try store.operate("doctor")
        #expect(ill.status == 2 && ill.output.contains("author.nick removed (failed: \(reason)"), "\(ill)")
        try store.sql("DROP VIEW report")
        #expect(try store.operate("finish").status == 0)
        #expect(try store.operate("doctor").output.contains("ok       pending: "))
    }

    @Test func aStageIsToldOnceAndWhoHoldsItsTable() throws {
        let store = try Self.folder()
        try store.make("v1")
        let writer = try Self.writer(store)
        defer { writer.close() }
        let complaint = store.folder.path + "/complaint"
        let process = try Tool.begin(
            "migrate", "apply", "--model", "Library.xcdatamodeld", "--version", "v3", "--confirm-drop",
            "Author.nick", "--database", store.database.url, in: store.folder, complaint: complaint)
        try Self.wait("the holder's name") { Self.text(complaint).contains("waiting: 'author' is locked by") }
        // The next try is under way.
        try Self.wait("a try") {
            try store.texts(
                "SELECT count(*)::text FROM pg_locks WHERE NOT granted AND relation = 'author'::regclass "
                    + "AND database = (SELECT oid FROM pg_database WHERE datname = current_database())")
                == ["1"]
        }
        try writer.rollback()
        let status = process.waitForEnd()
        let lines = Self.text(complaint).split(separator: "\n")
        #expect(status == 0, "\(lines)")
        #expect(lines.count { $0.hasSuffix(" steps") } == 1, "\(lines)")
        #expect(lines.count { $0.contains("waiting: ") } == 1, "\(lines)")
        #expect(
            lines.contains {
                $0.contains("session \(writer.backendProcessID) of nightly import")
                    && $0.contains("; retrying, 5") && $0.hasSuffix(" s left")
            }, "\(lines)")
    }

    @Test func aSessionThatEndsWhileItWaitsHasChangedNothing() throws {
        let store = try Self.folder()
        try store.make("v1")
        let other = try store.connect()
        defer { other.close() }
        _ = try other.query("SELECT pg_advisory_lock(hashtextextended('howdah:public', 0))", cached: false)
        let complaint = store.folder.path + "/complaint"
        let process = try Tool.begin(
            "migrate", "apply", "--model", "Library.xcdatamodeld", "--version", "v3", "--confirm-drop",
            "Author.nick", "--database", store.database.url, in: store.folder, complaint: complaint)
        try Self.wait("the wait") { Self.text(complaint).contains("waiting: another program works on") }
        try store.sql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() "
                + "AND application_name = 'howdah migrate' AND pid <> \(other.backendProcessID)")
        let status = process.waitForEnd()
        let told = Self.text(complaint)
        #expect(status == 1, "\(told)")
        #expect(
            told.contains(
                "The database session ended while the migration waited for its lock. Nothing was changed. Run the migration again."
            ), "\(told)")
        #expect(!told.contains("may have been committed"), "\(told)")
        // The control: so it is.
        #expect(try store.run("status", "v1").status == 0)
        _ = try other.query("SELECT pg_advisory_unlock_all()", cached: false)
        #expect(try store.run("apply", "v3", "--confirm-drop", "Author.nick", "--quiet").status == 0)
    }

    @Test func verifyingGivesUpAndSaysWhoMigrates() throws {
        let store = try Self.folder()
        try store.make("v1")
        let other = try store.connect()
        defer { other.close() }
        _ = try other.query("SELECT pg_advisory_lock(hashtextextended('howdah:public', 0))", cached: false)
        let busy = try store.operate("verify", "--wait", "0.5")
        #expect(busy.status == 5, "\(busy)")
        #expect(
            busy.complaint.contains(
                "is working on the store in schema 'public' (session \(other.backendProcessID)"),
            "\(busy)")
        _ = try other.query("SELECT pg_advisory_unlock_all()", cached: false)
        try other.begin()
        _ = try other.query("LOCK TABLE author IN ACCESS EXCLUSIVE MODE", cached: false)
        let locked = try store.operate("verify", "--wait", "0.5")
        #expect(locked.status == 5, "\(locked)")
        #expect(
            locked.complaint.contains("locked for longer than 0.5 s by session \(other.backendProcessID)"),
            "\(locked)")
        try other.rollback()
        #expect(try store.operate("verify", "--wait", "0").status == 0)
        #expect(try store.operate("verify", "--wait", "-1").status == 64)
    }

    @Test func theSessionOfAKilledRunnerEnds() throws {
        let store = try Self.folder()
        try store.make("v1")
        try store.folder.write(
            """
            model: Library.xcdatamodeld
            stages:
              - from: v1
                to: v3
                confirmedDrops: [Author.nick]
                didMigrate: SELECT pg_sleep(3600)
            """, at: "plan.yml")
        let process = try Tool.begin(
            "migrate", "apply", "--plan", "plan.yml", "--database", store.database.url, in: store.folder)
        let sessions =
            "SELECT count(*)::text FROM pg_stat_activity WHERE query LIKE 'DO LANGUAGE plpgsql%' "
            + "AND state = 'active' AND datname = current_database()"
        try Self.wait("the script") { try store.texts(sessions) == ["1"] }
        kill(process.processIdentifier, SIGKILL)
        process.waitForEnd()
        try Self.wait("the end of the session") { try store.texts(sessions) == ["0"] }
        #expect(try store.run("status", "v1").status == 0)
        #expect(try store.run("apply", "v3", "--confirm-drop", "Author.nick").status == 0)
    }
}
