import Foundation
import Howdah
import HowdahTesting
import LocalPostgres
import PQClient
import TestSupport
import Testing

@testable import HowdahRuntime

@Suite(.needsSession, .serialized) struct CrashTests {
    /// The importing program.
    private static func writer(
        _ url: String, batches: Int, tokens: Bool = false
    ) throws -> (process: Process, output: Pipe) {
        let process = Process()
        process.executableURL = CrashWriter.program
        process.arguments = [url, "\(batches)"] + (tokens ? ["tokens"] : [])
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        return (process, output)
    }

    private static func expectBoundary(_ sql: PlainSQL) throws {
        let broken = try sql.rows(
            """
            SELECT b.number::text, count(i._id)::text FROM batch b LEFT JOIN item i ON i.batch = b._id GROUP BY b._id
            HAVING count(i._id) <> CASE WHEN b.number % 2 = 0 THEN 200 ELSE 20 END
            """)
        #expect(broken == [])
        // Each item has its one link, to the tag of its batch.
        #expect(
            try sql.value("SELECT count(*)::text FROM item")
                == sql.value("SELECT count(*)::text FROM item_tags"))
        #expect(
            try sql.value("SELECT count(*)::text FROM tag") == sql.value("SELECT count(*)::text FROM batch"))
        #expect(
            try sql.value("SELECT coalesce(max(number) + 1, 0)::text FROM batch")
                == sql.value("SELECT count(*)::text FROM batch"))
    }

    @Test(.timeLimit(.minutes(60)), arguments: [false, true])
    func aKilledWriterLeavesTheStoreAtASaveBoundary(tokens: Bool) async throws {
        let database = try EphemeralPostgres.shared().createDatabase()
        defer { try? database.drop() }
        let sql = PlainSQL(url: database.url)
        var random = SeededGenerator(seed: 20)
        var (round, done) = (0, 0)
        // A slow machine needs longer until a writer has stored anything.
        while round < 10 || done == 0 && round < 100 {
            let latest = round < 4 ? 150 : max(400, round * 60)
            round += 1
            let (process, _) = try Self.writer(database.url, batches: 100_000, tokens: tokens)
            try await Task.sleep(for: .milliseconds(Int.random(in: 20...latest, using: &random)))
            await process.killed()
            let isStore = try sql.value("SELECT (to_regclass('batch') IS NOT NULL)::text") == "true"
            #expect(
                try isStore
                    == (sql.value("SELECT (to_regclass('_howdah_store') IS NOT NULL)::text") == "true"))
            if isStore {
                try Self.expectBoundary(sql)
                done = Int(try sql.value("SELECT count(*)::text FROM batch") ?? "") ?? 0
            }
        }
        // The next run finishes.
        #expect(done > 0)
        let (process, output) = try Self.writer(database.url, batches: done + 5, tokens: tokens)
        #expect(await output.fileHandleForReading.text().hasSuffix("done\n"))
        await process.untilExit()
        #expect(process.terminationStatus == 0)
        try Self.expectBoundary(sql)
        #expect(try sql.value("SELECT count(*)::text FROM batch") == "\(done + 5)")
        // A token for each save that was stored, and for no other.
        #expect(
            try sql.value("SELECT count(*)::text FROM _howdah_save WHERE is_stored")
                == (tokens ? "\(done + 5)" : "0"))
    }

    @Test func processesOpenAnEmptyDatabaseAtOnce() async throws {
        let database = try EphemeralPostgres.shared().createDatabase()
        defer { try? database.drop() }
        let writers = try (0..<4).map { _ in try Self.writer(database.url, batches: 0) }
        var lines: [String] = []
        for writer in writers {
            lines.append(await writer.output.fileHandleForReading.text())
            await writer.process.untilExit()
        }
        #expect(writers.allSatisfy { $0.process.terminationStatus == 0 })
        #expect(Set(lines).count == 1 && lines[0].hasPrefix("open "), "\(lines)")
    }

    enum Stage: String, CaseIterable {
        case update = "BEFORE UPDATE ON employee"
        case insert = "BEFORE INSERT ON project"
        case delete = "BEFORE DELETE ON room"
        case link = "BEFORE INSERT ON employee_projects"
    }

    /// The server's side of the connection dies in each stage of a save.
    @Test(arguments: Stage.allCases)
    func aKilledBackendLeavesNothingHalfDone(stage: Stage) async throws {
        try await withStore(Company.model()) { container, sql in
            try await container.perform { context in
                let department = Department(context: context)
                department.name = "x"
                let room = Room(context: context)
                room.number = 1
                room.department = department
                let employee = Employee(context: context)
                employee.firstName = "x"
                try context.save()
                try sql.rows(
                    "CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NEW; END'"
                )
                try sql.rows("CREATE TRIGGER die \(stage.rawValue) FOR EACH ROW EXECUTE FUNCTION die()")
                employee.visits = 1
                let project = Project(context: context)
                project.title = "x"
                project.members.insert(employee)
                context.delete(room)
                let error = try #require(saveError { try context.save() })
                #expect(
                    error.code == .database && error.databaseError?.code == .connectionLost,
                    "\(error.debugDescription)")
                #expect(error.databaseError?.mayHaveCommitted == false)
                #expect(
                    try sql.rows(
                        "SELECT (SELECT sum(visits) FROM employee)::text, (SELECT count(*) FROM project)::text, "
                            + "(SELECT count(*) FROM room)::text, (SELECT count(*) FROM employee_projects)::text"
                    )
                        == [["0", "0", "1", "0"]])
                #expect(project.isInserted && room.isDeleted && employee.isUpdated)
                try sql.rows("DROP TRIGGER die ON \(stage.rawValue.split(separator: " ").last ?? "")")
                try context.save()
                #expect(project.members.count == 1)
            }
            #expect(try sql.value("SELECT count(*)::text FROM employee_projects") == "1")
        }
    }

    /// A COMMIT whose answer never came is reported as unknown, and here it did happen.
    @Test(.timeLimit(.minutes(60))) func aLostCommitIsUnknownNotGuessed() async throws {
        let cluster = try await onThread {
            try LocalCluster.start(settings: ["wal_level": "replica", "max_wal_senders": "2"])
        }
        defer { cluster.stop(.immediate) }
        let sql = PlainSQL(url: cluster.url())
        let container = try await PersistentContainer.open(
            cluster.url() + "&options=-c%20synchronous_commit%3Don", model: Company.model())
        try await container.perform { context in
            let employee = Employee(context: context)
            employee.firstName = "before"
            try context.save()
        }
        // From now on COMMIT waits for a standby that never comes.
        try sql.rows("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
        try sql.rows("SELECT pg_reload_conf()::text")
        // The setting reaches the server's processes a moment after the reload; saves until then simply succeed.
        var stored = 1
        var save: Task<SaveError?, any Error>?
        while save == nil {
            let end = End()
            let attempt = Task {
                let error = try await container.perform { context in
                    for name in ["a", "b"] {
                        let employee = Employee(context: context)
                        employee.firstName = name
                    }
                    return saveError { try context.save() }
                }
                await end.reach()
                return error
            }
            while await !end.isReached, save == nil {
                let waiting = try sql.value(
                    "SELECT count(*)::text FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
                if waiting == "1" { save = attempt }
                try await Task.sleep(for: .milliseconds(10))
            }
            stored += 2
        }
        try sql.rows(
            "SELECT pg_terminate_backend(pid)::text FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
        let error = try #require(try await save?.value)
        #expect(error.code == .outcomeUnknown, "\(error.debugDescription)")
        #expect(error.databaseError?.mayHaveCommitted == true)
        #expect(try sql.value("SELECT count(*)::text FROM employee") == "\(stored)")
        try sql.rows("ALTER SYSTEM RESET synchronous_standby_names")
        await container.close(drainingFor: .seconds(1))
    }

    /// Whether a task came to its end.
    private actor End {
        private(set) var isReached = false

        func reach() { isReached = true }
    }
}
