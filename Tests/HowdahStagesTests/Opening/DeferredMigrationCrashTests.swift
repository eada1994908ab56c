import Foundation
import Howdah
import HowdahMigration
import HowdahTesting
import LocalPostgres
import Logging
import PQClient
import StagedModels
import TestSupport
import Testing

/// Wherever a deferred migration is killed, the store is usable, and the next run finishes.
@Suite(.needsSession, .serialized) struct DeferredMigrationCrashTests {
    private static func with<T>(_ body: (String) async throws -> T) async throws -> T {
        try await withTestDatabase(for: Register.old()) { database in
            try await fill(database.url)
            return try await body(database.url)
        }
    }

    private static func fill(_ url: String) async throws {
        let container = try await PersistentContainer.open(url, model: Register.old())
        try await container.perform { context in
            for number in 1...1_500 {
                let person = context.insert("Person")
                person["name"] = "\(number)"
                if number <= 100 { person["age"] = 50 }
            }
            context.insert("Gone")["text"] = "x"
            try context.save()
        }
        await container.close()
    }

    private static func catalogue(_ url: String) throws -> StoreCatalogue {
        let connection = try Connection(ConnectionConfiguration(url))
        defer { connection.close() }
        return try StoreCatalogue(named: "public", on: connection)
    }

    private static func statementCount() async throws -> Int {
        try await with { url in
            let counter = StatementCounter()
            var options = StoreOptions()
            options.logger = Logger(label: "counter") { _ in counter }
            try await Register.migrate(url, options)
            return counter.count
        }
    }

    private static func kill(_ url: String, after statement: Int) async throws -> Bool {
        let process = Process()
        process.executableURL = CrashWriter.program
        process.arguments = [url, "deferrer", "\(statement)"]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        await process.untilExit()
        return process.terminationReason == .uncaughtSignal
    }

    /// At night every statement after the connection's first ones, else every sixth, or fewer.
    ///
    /// - Parameter part: Which of two runs has them; nil if there is one.
    private static func statements(_ count: Int, part: Int? = nil) -> StrideThrough<Int> {
        stride(
            from: 4 + (part ?? 0) * TestTier.choose(quick: 3, all: 3, nightly: 1), through: count - 1,
            by: TestTier.choose(quick: 18, all: 6, nightly: part == nil ? 1 : 2))
    }

    /// Checks that a store has the old model or a usable new one.
    ///
    /// - Returns: Whether it has the new one, and the number of steps that are left.
    private static func state(of url: String) throws -> String {
        let sql = PlainSQL(url: url)
        let isNew = try sql.value("SELECT checksum FROM _howdah_store") == Register.new().versionChecksum
        let pending =
            try sql.value("SELECT to_regclass('_howdah_pending')::text") == nil
            ? "0" : sql.value("SELECT count(*)::text FROM _howdah_pending") ?? ""
        #expect(isNew || pending == "0")
        return "\(isNew) \(pending)"
    }

    private static func expectCompletion(_ url: String, _ fresh: StoreCatalogue) async throws {
        try await Register.migrate(url)
        #expect(try Self.catalogue(url).differences(from: fresh) == [])
        let sql = PlainSQL(url: url)
        #expect(try sql.value("SELECT to_regclass('_howdah_pending')::text") == nil)
        #expect(
            try sql.rows("SELECT age::text, count(*)::text FROM person GROUP BY age ORDER BY age")
                == [["30", "1400"], ["50", "100"]])
    }

    private static func fresh() async throws -> StoreCatalogue {
        try await withTestDatabase(for: Register.new()) { try Self.catalogue($0.url) }
    }

    @Test(.timeLimit(.minutes(60)), arguments: [0, 1])
    func aKilledProcessIsContinued(part: Int) async throws {
        let fresh = try await Self.fresh()
        let count = try await Self.statementCount()
        var states: Set<String> = []
        for last in Self.statements(count, part: part) {
            try await Self.with { url in
                // A lock that is not free at once takes more statements, also in the run that was counted. A process
                // that needs fewer than that one comes to its end.
                let isKilled = try await Self.kill(url, after: last)
                let state = try Self.state(of: url)
                #expect(isKilled || state == "true 0", "statement \(last) of \(count): \(state)")
                states.insert(state)
                // A second one that dies as well, and one that does not.
                _ = try await Self.kill(url, after: 30)
                try await Self.expectCompletion(url, fresh)
            }
        }
        // Before the transaction, with all steps pending, and with some.
        #expect(states.contains("false 0") && states.count > 3, "\(states)")
    }

    private static func migrate(
        _ url: String, killing last: Int, _ death: @escaping @Sendable () -> Void
    ) async {
        var options = StoreOptions()
        options.logger = Logger(label: "killer") { _ in DeathAfterStatements(after: last, death) }
        try? await Register.migrate(url, options)
    }

    @Test("A deferred migration continues after its session was ended", .timeLimit(.minutes(60)))
    func endedSession() async throws {
        let fresh = try await Self.fresh()
        let count = try await Self.statementCount()
        var states: Set<String> = []
        for last in Self.statements(count) {
            try await Self.with { url in
                await Self.migrate(url, killing: last) {
                    _ = try? PlainSQL(url: url).rows(
                        "SELECT pg_terminate_backend(pid)::text FROM pg_stat_activity "
                            + "WHERE datname = current_database() AND pid <> pg_backend_pid()")
                }
                states.insert(try Self.state(of: url))
                try await Self.expectCompletion(url, fresh)
            }
        }
        #expect(states.contains("false 0") && states.count > 2, "\(states)")
    }

    @Test(
        "A deferred migration continues after its server was killed",
        .enabled(if: TestTier.current > .quick, "recoveries of a server take a second each"),
        .timeLimit(.minutes(60)))
    func killedServer() async throws {
        let fresh = try await Self.fresh()
        let count = try await Self.statementCount()
        let folder = URL(filePath: NSTemporaryDirectory()).appending(
            path: "howdah-deferred-\(ProcessInfo.processInfo.processIdentifier)")
        let cluster = try DevelopmentCluster(in: folder)
        try cluster.start(database: "filled")
        defer {
            _ = try? cluster.stop()
            try? FileManager.default.removeItem(at: folder)
        }
        try await Self.fill(cluster.url(database: "filled"))
        var states: Set<String> = []
        for last in Self.statements(count) {
            let name = "killed_\(last)"
            let admin = PlainSQL(url: cluster.url(database: "postgres"))
            try admin.rows("CREATE DATABASE \(name) TEMPLATE filled")
            let url = cluster.url(database: name)
            await Self.migrate(url, killing: last) { ServerProcesses.kill(of: cluster) }
            let isKilled = cluster.state == .stopped
            try cluster.start(database: "filled")
            let state = try Self.state(of: url)
            #expect(isKilled || state == "true 0", "statement \(last) of \(count): \(state)")
            states.insert(state)
            try await Self.expectCompletion(url, fresh)
            try admin.rows("DROP DATABASE \(name)")
        }
        #expect(states.contains("false 0") && states.count > 2, "\(states)")
    }
}
