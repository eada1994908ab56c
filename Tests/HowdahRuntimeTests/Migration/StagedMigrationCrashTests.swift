import Foundation
import Howdah
import HowdahTesting
import Logging
import StagedModels
import Testing

/// Wherever a staged migration is cut off, the store has a listed version, and the next run goes on from there.
@Suite(.serialized) struct StagedMigrationCrashTests {
    /// How many statements an undisturbed run sends; the boundaries of the stages are among them.
    private static func statementCount() async throws -> Int {
        try await LogbookStore.with { store in
            let counter = StatementCounter()
            var options = StoreOptions()
            options.logger = Logger(label: "counter") { _ in counter }
            let container = try await store.open(options: options)
            await container.close()
            return counter.count
        }
    }

    /// Kills the migrating process once it has sent each third statement, and the session with which it was sent.
    @Test(.timeLimit(.minutes(10)), arguments: [0, 1])
    func aKilledProcessLeavesAStageBoundary(offset: Int) async throws {
        let count = try await Self.statementCount()
        var boundaries: Set<Int> = []
        for last in stride(from: 1 + offset * 3, through: count, by: 6) {
            try await LogbookStore.with { store in
                let process = Process()
                process.executableURL = CrashTests.program
                process.arguments = [store.url, "migrator", "\(last)"]
                process.standardOutput = FileHandle.nullDevice
                process.standardError = FileHandle.nullDevice
                try process.run()
                process.waitUntilExit()
                #expect(process.terminationReason == .uncaughtSignal, "statement \(last) of \(count)")
                boundaries.insert(try await store.boundary())
                try await store.expectCompletion()
            }
        }
        #expect(boundaries.isSuperset(of: 0...2), "some stage was never cut off: \(boundaries)")
    }

    /// Ends the migrating session on the server once it has sent each fifth statement.
    @Test(.timeLimit(.minutes(10))) func aKilledSessionLeavesAStageBoundary() async throws {
        let count = try await Self.statementCount()
        for last in stride(from: 3, through: count, by: 5) {
            try await LogbookStore.with { store in
                let sql = store.sql
                var options = StoreOptions()
                options.logger = Logger(label: "killer") { _ in
                    DeathAfterStatements(after: last) {
                        _ = try? sql.rows(
                            "SELECT pg_terminate_backend(pid)::text FROM pg_stat_activity "
                                + "WHERE datname = current_database() AND pid <> pg_backend_pid()")
                    }
                }
                let container = try? await store.open(options: options)
                await container?.close()
                _ = try await store.boundary()
                try await store.expectCompletion()
            }
        }
    }

    /// Ten programs of a deployment start at once.
    @Test(.timeLimit(.minutes(5))) func ofTenProcessesOneMigrates() async throws {
        try await LogbookStore.with { store in
            let processes = try (0..<10).map { _ in
                let process = Process()
                process.executableURL = CrashTests.program
                process.arguments = [store.url, "migrator", "1000000"]
                process.standardOutput = FileHandle.nullDevice
                try process.run()
                return process
            }
            for process in processes { process.waitUntilExit() }
            #expect(processes.allSatisfy { $0.terminationStatus == 0 })
            #expect(try store.ledger() == LogbookStore.labels)
            try await store.expectCompletion()
        }
    }

    @Test func ofFourContainersOneMigrates() async throws {
        try await LogbookStore.with { store in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 { group.addTask { try await store.open().close() } }
                try await group.waitForAll()
            }
            #expect(try store.ledger() == LogbookStore.labels)
            try await store.expectCompletion()
        }
    }
}
