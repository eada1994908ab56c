import Foundation
import Howdah
import HowdahTesting
import PQClient
import Synchronization
import TestSupport
import Testing

/// Saves of many rows at once take them in one order, whatever plans the server has made and keeps.
@Suite(.serialized, .timeLimit(.minutes(60))) struct LockOrderTests {
    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                "Item",
                properties: [
                    .attribute("code", .string), .attribute("count", .integer64, default: 0),
                    .attribute("number", .integer32, default: 0),
                ], uniquenessConstraints: [["code"]])
        ])
    }

    private static let rows = 700

    nonisolated(nonsending) private static func with(
        _ settings: [String], _ body: (PersistentContainer, PlainSQL) async throws -> Void
    ) async throws {
        try await withTestDatabase(for: model()) { database in
            let sql = PlainSQL(url: database.url)
            let first = try await PersistentContainer.open(database.url, model: model())
            try await first.perform { context in
                for number in 0..<rows {
                    let item = context.insert("Item")
                    (item["code"], item["number"]) = ("\(number)", number)
                }
                try context.save()
            }
            await first.close()
            // Rows lie in another order than that of their keys.
            try sql.rows("UPDATE item SET count = 1 WHERE _id % 3 = 0")
            try sql.rows("VACUUM FULL ANALYZE item")
            for setting in settings + ["deadlock_timeout = '20ms'"] {
                try sql.rows("ALTER DATABASE \(SQLIdentifier.quoted(database.name)) SET \(setting)")
            }
            let container = try await PersistentContainer.open(database.url, model: model())
            try await container.closing { try await body($0, sql) }
        }
    }

    /// How many deadlocks the database has had, once the sessions have told.
    static func deadlocks(_ sql: PlainSQL) async throws -> Int {
        let others =
            "SELECT count(*)::text FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        while try sql.value(others) != "0" { try await Task.sleep(for: .milliseconds(10)) }
        return Int(
            try sql.value("SELECT deadlocks::text FROM pg_stat_database WHERE datname = current_database()")
                ?? "") ?? -1
    }

    static let plans: [[String]] = [
        [], ["plan_cache_mode = force_generic_plan"],
        ["plan_cache_mode = force_generic_plan", "enable_nestloop = off", "enable_indexscan = off"],
        ["plan_cache_mode = force_generic_plan", "enable_hashjoin = off", "enable_nestloop = off"],
    ]

    @Test(arguments: plans) func thereAreNoDeadlocks(settings: [String]) async throws {
        try await Self.with(settings) { container, sql in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for worker in 0..<4 {
                    group.addTask {
                        var random = SeededGenerator(seed: UInt64(worker + 1))
                        // Each of the four modes, several times.
                        for turn in 0..<TestTier.choose(quick: 8, all: 20, nightly: 20) {
                            let numbers = Array((0..<Self.rows).shuffled(using: &random).prefix(120))
                            let mode = turn % 4
                            try await container.perform(
                                isolation: mode == 2 ? .readCommitted : nil, retrying: .conflicts(upTo: 50)
                            ) { context in
                                // Questions before the writes, or none; a policy, or none.
                                if mode == 1 { context.mergePolicy = .mergeByPropertyObjectTrump }
                                if mode == 3 { context.mergePolicy = .overwrite }
                                var request = FetchRequest<ManagedObject>(entityName: "Item")
                                request.predicate = .format("number IN %@", numbers)
                                for item in try context.fetch(request) {
                                    item["count"] = (item["count"] as? Int64 ?? 0) + 1
                                    if mode == 1 { item["code"] = "\(item["number"] ?? 0) \(worker) \(turn)" }
                                }
                                try context.save()
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            await container.close()
            let found = try await Self.deadlocks(sql)
            #expect(found == 0)
        }
    }

    /// What is counted is what the server says: rows taken in two orders are a deadlock.
    @Test func twoOrdersAreADeadlock() async throws {
        try await Self.with([]) { container, sql in
            await container.close()
            let url = TestPooler.direct(sql.url)
            let ready = Meeting()
            await withTaskGroup(of: Void.self) { group in
                for number in 1...2 {
                    group.addTask {
                        await withCheckedContinuation { continuation in
                            Thread.detachNewThread {
                                defer { continuation.resume() }
                                guard let session = try? Connection(ConnectionConfiguration(url)) else {
                                    return
                                }
                                defer { session.close() }
                                try? session.executeScript(
                                    "BEGIN; UPDATE item SET count = 0 WHERE number = \(number)")
                                ready.arrive()
                                try? session.executeScript(
                                    "UPDATE item SET count = 0 WHERE number = \(3 - number)")
                            }
                        }
                    }
                }
            }
            let found = try await Self.deadlocks(sql)
            #expect(found == 1)
        }
    }

    /// Where two threads wait for each other.
    private final class Meeting: Sendable {
        private let count = Atomic(0)

        func arrive() {
            count.add(1, ordering: .sequentiallyConsistent)
            while count.load(ordering: .sequentiallyConsistent) < 2 { usleep(1_000) }
        }
    }
}
