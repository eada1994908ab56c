import Foundation
import Howdah
import HowdahMigration
import HowdahTesting
import Logging
import PQClient
import StagedModels
import TestSupport
import Testing

/// Wherever a deferred migration is killed, the store is usable, and the next run finishes.
@Suite(.needsSession, .serialized) struct DeferredMigrationCrashTests {
    private static func with<T>(_ body: (String) async throws -> T) async throws -> T {
        let model = try Register.old()
        return try await withTestDatabase(for: model) { database in
            let container = try await PersistentContainer.open(database.url, model: model)
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
            return try await body(database.url)
        }
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

    private static func kill(_ url: String, after statement: Int) throws -> Bool {
        let process = Process()
        process.executableURL = CrashWriter.program
        process.arguments = [url, "deferrer", "\(statement)"]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationReason == .uncaughtSignal
    }

    @Test(.timeLimit(.minutes(60)), arguments: [0, 1])
    func aKilledProcessIsContinued(offset: Int) async throws {
        let fresh = try await withTestDatabase(for: Register.new()) { try Self.catalogue($0.url) }
        let count = try await Self.statementCount()
        var states: Set<String> = []
        for last in stride(
            from: 4 + offset * 3, through: count - 1, by: TestTier.choose(quick: 18, all: 6, nightly: 6))
        {
            try await Self.with { url in
                // A lock that is not free at once takes more statements, also in the run that was counted.
                let isKilled = try Self.kill(url, after: last)
                #expect(isKilled || last > count - 10, "statement \(last) of \(count)")
                let sql = PlainSQL(url: url)
                let isNew =
                    try sql.value("SELECT checksum FROM _howdah_store") == Register.new().versionChecksum
                let pending =
                    try sql.value("SELECT to_regclass('_howdah_pending')::text") == nil
                    ? "0" : sql.value("SELECT count(*)::text FROM _howdah_pending") ?? ""
                states.insert("\(isNew) \(pending)")
                #expect(isNew || pending == "0")
                // A second one that dies as well, and one that does not.
                _ = try Self.kill(url, after: 30)
                try await Register.migrate(url)
                #expect(try Self.catalogue(url).differences(from: fresh) == [])
                #expect(try sql.value("SELECT to_regclass('_howdah_pending')::text") == nil)
                #expect(
                    try sql.rows("SELECT age::text, count(*)::text FROM person GROUP BY age ORDER BY age")
                        == [["30", "1400"], ["50", "100"]])
            }
        }
        // Before the transaction, with all steps pending, and with some.
        #expect(states.contains("false 0") && states.count > 3, "\(states)")
    }
}
