import Foundation
import Howdah
import HowdahTesting
import PQClient
import TestSupport
import Testing

/// Batches that wait for rows of others, look again, and lose deadlocks.
@Suite(.timeLimit(.minutes(60))) struct BatchWaitTests {
    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                "Job",
                properties: [
                    .attribute("state", .string), .attribute("seen", .integer32, default: 0),
                    .relationship("queue", to: "Queue", inverse: "jobs"),
                ]),
            EntityDescription(
                "Queue",
                properties: [
                    .attribute("name", .string),
                    .relationship("jobs", to: "Job", inverse: "queue", toMany: true),
                ]),
        ])
    }

    nonisolated(nonsending) private static func with(
        _ body: (PersistentContainer, PlainSQL) async throws -> Void
    ) async throws {
        try await withTestDatabase(for: model()) { database in
            let container = try await PersistentContainer.open(database.url, model: model())
            try await container.perform { context in
                let queue = context.insert("Queue")
                queue["name"] = "x"
                for number in 0..<40 {
                    let job = context.insert("Job")
                    (job["state"], job["seen"]) = ("new", number)
                    job["queue"] = queue
                }
                try context.save()
            }
            let sql = PlainSQL(url: database.url)
            try await container.closing { try await body($0, sql) }
        }
    }

    @Test(arguments: ["state == 'new' AND seen < 3", "state == 'new' AND seen < 3 AND queue.name == 'x'"])
    func whatAnotherClaimedMeanwhileIsNotClaimed(format: String) async throws {
        try await Self.with { container, sql in
            let count = try await sql.committing("UPDATE job SET state = 'claimed by a' WHERE seen < 3") {
                try await container.perform { context in
                    var request = FetchRequest<ManagedObject>(entityName: "Job")
                    request.predicate = .format(format)
                    return try context.execute(BatchUpdateRequest(request, set: ["state": "claimed by b"]))
                        .count
                }
            }
            #expect(count == 0)
            #expect(try sql.value("SELECT count(*)::text FROM job WHERE state = 'claimed by a'") == "3")
        }
    }

    @Test(arguments: ["seen < 3", "seen < 3 AND queue.name == 'x'"])
    func whatIsNoLongerMeantIsNotDeleted(format: String) async throws {
        try await Self.with { container, sql in
            let count = try await sql.committing("UPDATE job SET seen = 100 WHERE seen < 3") {
                try await container.perform { context in
                    var request = FetchRequest<ManagedObject>(entityName: "Job")
                    request.predicate = .format(format)
                    return try context.execute(BatchDeleteRequest(request)).count
                }
            }
            #expect(count == 0)
            #expect(try sql.value("SELECT count(*)::text FROM job") == "40")
        }
    }

    /// Workers that claim across a relationship have each job once.
    @Test func workersClaimEachJobOnce() async throws {
        try await Self.with { container, sql in
            let counts = try await withThrowingTaskGroup(of: Int.self) { group in
                for worker in 0..<8 {
                    group.addTask {
                        var sum = 0
                        for start in stride(from: 0, to: 40, by: 4) {
                            sum += try await container.perform { context in
                                var request = FetchRequest<ManagedObject>(entityName: "Job")
                                request.predicate = .format(
                                    "state == 'new' AND queue.name == 'x' AND seen >= %d AND seen < %d",
                                    start, start + 4)
                                return try context.execute(
                                    BatchUpdateRequest(
                                        request, set: ["state": .init(stringLiteral: "worker \(worker)")])
                                ).count
                            }
                        }
                        return sum
                    }
                }
                return try await group.reduce(0, +)
            }
            #expect(counts == 40)
            #expect(try sql.value("SELECT count(*)::text FROM job WHERE state = 'new'") == "0")
        }
    }

    /// The server ends one of two that wait for each other; a batch begins again.
    @Test func aBatchThatLosesADeadlockIsRepeated() async throws {
        try await Self.with { container, sql in
            await container.close()
            try sql.lookForDeadlocks(after: "10000")
            let patient = try await PersistentContainer.open(sql.url, model: Self.model())
            let other = try Connection(ConnectionConfiguration(TestPooler.direct(sql.url)))
            defer { other.close() }
            try other.executeScript(
                "SET deadlock_timeout = '600s'; BEGIN; UPDATE job SET seen = seen WHERE seen = 39")
            async let count = patient.perform { context in
                let request = FetchRequest<ManagedObject>(entityName: "Job")
                return try context.execute(BatchUpdateRequest(request, set: ["state": "done"])).count
            }
            let waiting =
                "SELECT count(*)::text FROM pg_locks JOIN pg_stat_activity USING (pid) "
                + "WHERE NOT granted AND datname = current_database()"
            while try sql.value(waiting) == "0" { try await Task.sleep(for: .milliseconds(5)) }
            // The batch has the first rows and waits for the last; now the other waits for a first one.
            try other.executeScript("UPDATE job SET seen = seen WHERE seen = 0; COMMIT")
            #expect(try await count == 40)
            await patient.close()
        }
    }
}
