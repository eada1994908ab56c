import Foundation
import Howdah
import HowdahModel
import HowdahTesting
import PQClient
import TestSupport
import Testing

/// Batches that wait for other sessions: in one order, again after a lost deadlock, and with one kind of error.
@Suite(.serialized, .timeLimit(.minutes(60))) struct BatchDeadlockTests {
    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                "Item",
                properties: [.attribute("code", .string), .attribute("count", .integer64, default: 0)],
                uniquenessConstraints: [["code"]])
        ])
    }

    private static func rows(_ codes: [String], count: Int64) -> [[String: any Sendable]] {
        codes.map { ["code": $0, "count": count] }
    }

    nonisolated(nonsending)
        private static func fill(_ container: PersistentContainer, _ codes: [String]) async throws
    {
        try await container.insert(into: ManagedObject.self, entityName: "Item", from: rows(codes, count: 0))
    }

    private static let waiting =
        "FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"

    /// - Parameter isMixed: Half of the rows name other properties.
    @Test(arguments: [false, true]) func shuffledRowsAreTakenInOneOrder(isMixed: Bool) async throws {
        try await withStore(Self.model()) { container, sql in
            let codes = (0..<400).map { "c\($0)" }
            try await Self.fill(container, codes)
            let name = try #require(try sql.value("SELECT current_database()::text"))
            try sql.rows("ALTER DATABASE \(SQLIdentifier.quoted(name)) SET deadlock_timeout = '20ms'")
            let others = try await PersistentContainer.open(sql.url, model: Self.model())
            try await others.closing { others in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for worker in 0..<4 {
                        group.addTask {
                            for turn in 0..<20 {
                                let some = Array(codes.shuffled().prefix(200))
                                var rows = Self.rows(some, count: Int64(worker * 100 + turn))
                                if isMixed {
                                    for place in rows.indices where Bool.random() {
                                        rows[place]["count"] = nil
                                    }
                                }
                                try await others.insert(
                                    into: ManagedObject.self, entityName: "Item",
                                    uniqueness: .mergeByPropertyObjectTrump, arbiter: ["code"],
                                    from: rows)
                            }
                        }
                    }
                    try await group.waitForAll()
                }
            }
            await container.close()
            let found = try await LockOrderTests.deadlocks(sql)
            #expect(found == 0)
        }
    }

    /// Rows of an array are sent again; those of a generator are gone.
    @Test(arguments: [true, false]) func aLostDeadlockIsRepeated(isArray: Bool) async throws {
        try await withStore(Self.model()) { container, sql in
            try await Self.fill(container, ["a", "b"])
            await container.close()
            // The batch is the one that finds out.
            try sql.lookForDeadlocks(after: "10000")
            let recorder = EventRecorder()
            var options = StoreOptions()
            options.observer = recorder
            let patient = try await PersistentContainer.open(sql.url, model: Self.model(), options: options)
            let stranger = try Stranger(sql.url, "UPDATE item SET count = 5 WHERE code = 'b'")
            stranger.run("SET LOCAL deadlock_timeout = '600s'")
            let insertion = Task {
                try await patient.perform { context in
                    let rows = Self.rows(["b", "a"], count: 7)
                    var left = rows.makeIterator()
                    var request =
                        isArray
                        ? BatchInsertRequest(ManagedObject.self, entityName: "Item", objects: rows)
                        : BatchInsertRequest(
                            ManagedObject.self, entityName: "Item",
                            dictionaryHandler: { row in
                                guard let next = left.next() else { return true }
                                row = next
                                return false
                            })
                    (request.uniqueness, request.arbiter) = (.mergeByPropertyObjectTrump, ["code"])
                    return try context.execute(request).updatedCount
                }
            }
            while try sql.value("SELECT count(*)::text \(Self.waiting)") != "1" {
                try await Task.sleep(for: .milliseconds(10))
            }
            stranger.run("UPDATE item SET count = 5 WHERE code = 'a'")
            stranger.end()
            if isArray {
                #expect(try await insertion.value == 2)
            } else {
                let error = await #expect(throws: SaveError.self) { try await insertion.value }
                #expect(error?.code == .deadlock)
            }
            let counts = try sql.rows("SELECT count::text FROM item ORDER BY code")
            #expect(counts == (isArray ? [["7"], ["7"]] : [["0"], ["0"]]))
            let retries = recorder.summaries.filter { $0.hasPrefix("retry") }
            #expect(retries == (isArray ? ["retry of batch: 2"] : []))
            await patient.close()
        }
    }

    /// A statement that an administrator cancels is a refusal of the database, as in a save.
    @Test(arguments: [true, false]) func aCancelledStatementIsASaveError(isUpdate: Bool) async throws {
        try await withStore(Self.model()) { container, sql in
            try await Self.fill(container, ["a"])
            let stranger = try Stranger(
                sql.url,
                isUpdate
                    ? "UPDATE item SET count = 5"
                    : "INSERT INTO item (_id, _version, code) VALUES (1000000, 1, 'b')")
            let batch = Task {
                try await container.perform { context in
                    if isUpdate {
                        let all = FetchRequest<ManagedObject>(entityName: "Item")
                        return try context.execute(BatchUpdateRequest(all, set: ["count": 6])).count
                    }
                    return try context.execute(
                        BatchInsertRequest(
                            ManagedObject.self, entityName: "Item", objects: [["code": "b"]])
                    ).insertedCount
                }
            }
            while try sql.value("SELECT count(pg_cancel_backend(pid))::text \(Self.waiting)") == "0" {
                try await Task.sleep(for: .milliseconds(10))
            }
            let error = await #expect(throws: SaveError.self) { try await batch.value }
            #expect(error?.code == .database)
            #expect(error?.databaseError?.sqlState == SQLState.queryCancelled)
            stranger.end()
        }
    }
}
