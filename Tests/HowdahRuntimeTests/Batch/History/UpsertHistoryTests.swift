import HowdahModel
import HowdahTesting
import PQClient
import TestSupport
import Testing

@testable import HowdahRuntime

/// What insertions that meet existing rows, and requests on rows that refer to each other, write to the history.
@Suite struct UpsertHistoryTests {
    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                "Office",
                properties: [
                    .attribute("name", .string),
                    .relationship("workers", to: "Worker", inverse: "office", toMany: true),
                ]),
            EntityDescription(
                "Worker",
                properties: [
                    .attribute("code", .string), .attribute("pay", .integer64),
                    .relationship("office", to: "Office", inverse: "workers"),
                    .relationship("boss", to: "Worker", inverse: "staff"),
                    .relationship("staff", to: "Worker", inverse: "boss", toMany: true),
                ], uniquenessConstraints: [["code"]]),
        ])
    }

    /// Stores three offices and two workers of the first office, of whom the first is the other's boss.
    private static func fill(
        _ container: PersistentContainer
    ) async throws -> (offices: [ObjectID<ManagedObject>], workers: [ObjectID<ManagedObject>]) {
        try await container.perform { context in
            let offices = (0..<3).map { _ in context.insert("Office") }
            let workers = ["a", "b"].map { code in
                let worker = context.insert("Worker")
                (worker["code"], worker["office"]) = (code, offices[0])
                return worker
            }
            workers[1]["boss"] = workers[0]
            try context.save()
            return (offices.map { $0.objectID }, workers.map { $0.objectID })
        }
    }

    private static func upsert(
        _ rows: [BatchInsertRow], _ policy: MergePolicy.MergeType, in context: ManagedObjectContext
    ) throws {
        let result = try context.execute(
            BatchInsertRequest(ManagedObject.self, entityName: "Worker", objects: rows, uniqueness: policy))
        #expect(result.insertedCount + result.updatedCount == rows.count)
    }

    @Test(arguments: [false, true], [MergePolicy.MergeType.overwrite, .mergeByPropertyObjectTrump])
    func formerOwnersAreReported(isNested: Bool, policy: MergePolicy.MergeType) async throws {
        try await withHistory(Self.model()) { container, sql in
            let (offices, workers) = try await Self.fill(container)
            let before = try sql.history().last?.number ?? 0
            try await container.perform(isolation: isNested ? .readCommitted : nil) { context in
                try Self.upsert(
                    [["code": "b", "office": offices[1]], ["code": "c", "office": offices[2]]], policy,
                    in: context)
            }
            let rows = try sql.history(after: before)
            #expect(
                rows.filter { $0.entity == "Office" }.flatMap(\.ids).sorted() == offices.map(\.key).sorted())
            let changed = rows.filter { $0.entity == "Worker" && $0.kind == 1 }
            // Overwriting removes the boss.
            #expect(Set(changed.flatMap(\.ids)).contains(workers[1].key))
            if policy == .overwrite { #expect(Set(changed.flatMap(\.ids)) == Set(workers.map(\.key))) }
            #expect(rows.filter { $0.kind == 0 }.flatMap(\.ids).count == 1)
            #expect(
                try sql.rows("SELECT code, office::text, _version::text FROM worker ORDER BY code") == [
                    ["a", "\(offices[0].key)", "1"], ["b", "\(offices[1].key)", "2"],
                    ["c", "\(offices[2].key)", "1"],
                ])
        }
    }

    /// A row that another session moves while the request waits for it has a former owner of that time.
    @Test func formerOwnerIsThatOfTheLockedRow() async throws {
        try await withHistory(Self.model()) { container, sql in
            let (offices, _) = try await Self.fill(container)
            let before = try sql.history().last?.number ?? 0
            try await sql.committing(
                "UPDATE worker SET office = \(offices[1].key), _version = _version + 1 WHERE code = 'b'"
            ) {
                try await container.perform { context in
                    try Self.upsert([["code": "b", "office": offices[2]]], .overwrite, in: context)
                }
            }
            let found = try sql.history(after: before).filter { $0.entity == "Office" }.flatMap(\.ids)
            #expect(found.sorted() == [offices[1].key, offices[2].key].sorted())
        }
    }

    /// A row that is an owner of another one, too, has one change.
    @Test func rowsOfOneEntityHaveOneChange() async throws {
        try await withHistory(Self.model()) { container, sql in
            let (_, workers) = try await Self.fill(container)
            var token = try await container.currentHistoryToken()
            func changes() async throws -> [HistoryChange] {
                let start = token
                let history = try await container.perform {
                    try $0.execute(HistoryRequest.fetch(after: start))
                }
                token = history.token ?? token
                #expect(history.transactions.count == 1)
                return history.transactions.flatMap(\.changes)
            }
            try await container.perform { context in
                try Self.upsert(
                    [
                        ["code": "a", "pay": 2], ["code": "b", "boss": workers[0]], ["code": "c"],
                        ["code": "c", "pay": 1],
                    ],
                    .mergeByPropertyObjectTrump, in: context)
            }
            let upserted = try await changes()
            #expect(upserted.map(\.changedObjectID.key).count == 3)
            #expect(Set(upserted.map(\.changedObjectID)).count == 3)
            #expect(upserted.filter { $0.changeType == .insert }.count == 1)
            let boss = upserted.first { $0.changedObjectID.key == workers[0].key }
            #expect(boss?.updatedProperties?.isSuperset(of: ["pay", "staff"]) == true)
            try await container.perform { context in
                try context.execute(
                    BatchUpdateRequest(
                        FetchRequest<ManagedObject>(entityName: "Worker"), set: ["boss": .value(workers[0])]))
            }
            let updated = try await changes()
            #expect(updated.map(\.changeType) == [.update, .update, .update])
            #expect(Set(updated.map(\.changedObjectID)).count == 3)
            try await container.perform { context in
                try context.execute(BatchDeleteRequest(FetchRequest<ManagedObject>(entityName: "Worker")))
            }
            let deleted = try await changes()
            #expect(deleted.filter { $0.changeType == .delete }.count == 3)
            #expect(deleted.filter { $0.changedObjectID.entityName == "Worker" }.count == 3)
            let last = try #require(try sql.history().last?.number)
            // Not even in the rows: a page could end between a deletion and an update.
            #expect(
                try sql.history(after: last - 1).filter { $0.entity == "Worker" && $0.kind == 1 } == [])
        }
    }
}
