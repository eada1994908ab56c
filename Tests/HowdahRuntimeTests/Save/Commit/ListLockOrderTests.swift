import Foundation
import Howdah
import HowdahTesting
import PQClient
import TestSupport
import Testing

/// Members of ordered lists are taken in one order by who moves them and who changes their values.
@Suite(.serialized, .timeLimit(.minutes(60))) struct ListLockOrderTests {
    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                "List",
                properties: [
                    .attribute("number", .integer32, default: 0),
                    .relationship("items", to: "Item", inverse: "list", toMany: true, ordered: true),
                ]),
            EntityDescription(
                "Item",
                properties: [
                    .attribute("count", .integer64, default: 0), .attribute("number", .integer32, default: 0),
                    .relationship("list", to: "List", inverse: "items"),
                ]),
        ])
    }

    private static let rows = 400

    private static func reorder(_ list: Int, _ context: ManagedObjectContext) throws {
        var request = FetchRequest<ManagedObject>(entityName: "List")
        request.predicate = .format("number == %d", list)
        let list = try #require(try context.fetch(request).first)
        let items = list.value(forKey: "items") as? [ManagedObject] ?? []
        list.setValue(items.shuffled(), forKey: "items")
        try context.save()
    }

    private static func count(_ context: ManagedObjectContext) throws {
        var request = FetchRequest<ManagedObject>(entityName: "Item")
        request.predicate = .format("number IN %@", Array((0..<rows).shuffled().prefix(200)))
        for item in try context.fetch(request) { item["count"] = (item["count"] as? Int64 ?? 0) + 1 }
        try context.save()
    }

    @Test(arguments: LockOrderTests.plans) func thereAreNoDeadlocks(settings: [String]) async throws {
        try await withTestDatabase(for: Self.model()) { database in
            let sql = PlainSQL(url: database.url)
            let first = try await PersistentContainer.open(database.url, model: Self.model())
            try await first.perform { context in
                let lists = (0..<2).map { number in
                    let list = context.insert("List")
                    list["number"] = number
                    return list
                }
                for number in 0..<Self.rows {
                    let item = context.insert("Item")
                    (item["number"], item["list"]) = (number, lists[number % 2])
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
            let container = try await PersistentContainer.open(database.url, model: Self.model())
            try await container.closing { container in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for worker in 0..<4 {
                        group.addTask {
                            for _ in 0..<TestTier.choose(quick: 8, all: 20, nightly: 20) {
                                try await container.perform(retrying: .conflicts(upTo: 100)) { context in
                                    if worker < 2 {
                                        try Self.reorder(worker, context)
                                    } else {
                                        try Self.count(context)
                                    }
                                }
                            }
                        }
                    }
                    try await group.waitForAll()
                }
            }
            let found = try await LockOrderTests.deadlocks(sql)
            #expect(found == 0)
        }
    }
}
