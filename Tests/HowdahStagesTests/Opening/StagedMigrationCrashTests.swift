import Foundation
import Howdah
import HowdahTesting
import LocalPostgres
import Logging
import StagedModels
import TestSupport
import Testing

/// Wherever a staged migration is cut off, the store has a listed version, and the next run goes on from there.
@Suite(.needsSession, .serialized) struct StagedMigrationCrashTests {
    /// How many statements an undisturbed run sends; the boundaries of the stages are among them.
    private static func statementCount(_ way: Logbook.Way = .staged) async throws -> Int {
        try await LogbookStore.with(way) { store in
            let counter = StatementCounter()
            var options = StoreOptions()
            options.logger = Logger(label: "counter") { _ in counter }
            let container = try await store.open(options: options)
            await container.close()
            return counter.count
        }
    }

    /// At night every statement, else some that are spread over all stages.
    private static func statements(_ count: Int, daily: Int) -> [Int] {
        if TestTier.isNightly { return Array(1...count) }
        return (0..<daily).map { 1 + $0 * count / daily }
    }

    /// Kills the migrating process once it has sent a statement, and with it the session.
    @Test(.timeLimit(.minutes(60)), arguments: Logbook.Way.allCases)
    func aKilledProcessLeavesAStageBoundary(_ way: Logbook.Way) async throws {
        let count = try await Self.statementCount(way)
        var boundaries: Set<Int> = []
        for last in Self.statements(count, daily: 12) {
            try await LogbookStore.with(way) { store in
                let process = try Self.migrator(store, lastStatement: last)
                await process.untilExit()
                #expect(process.terminationReason == .uncaughtSignal, "statement \(last) of \(count)")
                boundaries.insert(try await store.boundary())
                try await store.expectCompletion()
            }
        }
        #expect(
            boundaries.isSuperset(of: 0..<way.labels.count), "some stage was never cut off: \(boundaries)")
    }

    /// Ends the migrating session on the server once it has sent a statement.
    @Test(.timeLimit(.minutes(60)), arguments: Logbook.Way.allCases)
    func aKilledSessionLeavesAStageBoundary(_ way: Logbook.Way) async throws {
        let count = try await Self.statementCount(way)
        var told = 0
        for last in Self.statements(count, daily: 9) {
            try await LogbookStore.with(way) { store in
                let sql = store.sql
                let error = await Self.open(store, killing: last) {
                    _ = try? sql.rows(
                        "SELECT pg_terminate_backend(pid)::text FROM pg_stat_activity "
                            + "WHERE datname = current_database() AND pid <> pg_backend_pid()")
                }
                if let error = error as? StoreError, error.code == .migrationFailed {
                    let isTold = error.message.contains("ended the database session")
                    #expect(isTold == (error.databaseError?.sqlState == SQLState.adminShutdown), "\(error)")
                    if isTold { told += 1 }
                }
                _ = try await store.boundary()
                try await store.expectCompletion()
            }
        }
        #expect(told > 0)
    }

    /// Kills all processes of the server once a statement was sent; it recovers from its log.
    @Test(.timeLimit(.minutes(60))) func aKilledServerLeavesAStageBoundary() async throws {
        let folder = URL(filePath: NSTemporaryDirectory()).appending(
            path: "howdah-killed-\(ProcessInfo.processInfo.processIdentifier)")
        let cluster = try DevelopmentCluster(in: folder)
        try cluster.start(database: "filled")
        defer {
            _ = try? cluster.stop()
            try? FileManager.default.removeItem(at: folder)
        }
        try await LogbookStore.fill(cluster.url(database: "filled"))
        let count = try await Self.statementCount()
        var boundaries: Set<Int> = []
        for last in Self.statements(count, daily: 12) {
            let name = "killed_\(last)"
            try PlainSQL(url: cluster.url(database: "postgres")).rows(
                "CREATE DATABASE \(name) TEMPLATE filled")
            let store = LogbookStore(url: cluster.url(database: name))
            _ = await Self.open(store, killing: last) { ServerProcesses.kill(of: cluster) }
            #expect(cluster.state == .stopped, "statement \(last) of \(count)")
            try cluster.start(database: "filled")
            boundaries.insert(try await store.boundary())
            try await store.expectCompletion()
            try PlainSQL(url: cluster.url(database: "postgres")).rows("DROP DATABASE \(name)")
        }
        #expect(boundaries.isSuperset(of: 0...2), "some stage was never cut off: \(boundaries)")
    }

    /// Opens the store with its plan, and does something once a number of statements were sent.
    ///
    /// - Returns: the error that ended the opening, if one did.
    private static func open(
        _ store: LogbookStore, killing last: Int, _ death: @escaping @Sendable () -> Void
    ) async -> (any Error)? {
        var options = StoreOptions()
        options.logger = Logger(label: "killer") { _ in DeathAfterStatements(after: last, death) }
        do {
            let container = try await store.open(options: options)
            await container.close()
            return nil
        } catch {
            return error
        }
    }

    private static func migrator(_ store: LogbookStore, lastStatement: Int) throws -> Process {
        let process = Process()
        process.executableURL = CrashWriter.program
        process.arguments = [store.url, "migrator", "\(lastStatement)", store.way.rawValue]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        return process
    }

    /// Ten programs of a deployment start at once.
    @Test(.timeLimit(.minutes(60))) func ofTenProcessesOneMigrates() async throws {
        try await LogbookStore.with { store in
            let processes = try (0..<10).map { _ in try Self.migrator(store, lastStatement: 1_000_000) }
            for process in processes { await process.untilExit() }
            #expect(processes.allSatisfy { $0.terminationStatus == 0 })
            #expect(try store.ledger() == store.way.labels)
            try await store.expectCompletion()
        }
    }

    @Test func ofTenContainersOneMigrates() async throws {
        try await LogbookStore.with { store in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<10 { group.addTask { try await store.open().close() } }
                try await group.waitForAll()
            }
            #expect(try store.ledger() == store.way.labels)
            try await store.expectCompletion()
        }
    }
}
