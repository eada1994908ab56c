import Foundation
import Howdah
import HowdahModel
import HowdahTesting
import PQClient
import TestSupport
import Testing

/// Saves that move objects, and others that delete what they are moved to.
@Suite(.serialized, .timeLimit(.minutes(60))) struct DeadlockTests {
    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                "Box",
                properties: [
                    .attribute("name", .string),
                    .relationship("items", to: "Item", inverse: "box", toMany: true),
                ]),
            EntityDescription(
                "Item",
                properties: [
                    .attribute("a", .integer64, optional: false, default: 0),
                    .relationship("box", to: "Box", inverse: "items"),
                ]),
        ])
    }

    /// A mover takes items and leads them to boxes; a deletion takes boxes and what leads there.
    @Test(arguments: [false, true]) func moversAndDeletersKeepOneOrder(inTwoShapes: Bool) async throws {
        try await withStore(Self.model()) { container, sql in
            try await container.perform { context in
                for _ in 0..<60 { _ = context.insert("Item") }
                for _ in 0..<4 { _ = context.insert("Box") }
                try context.save()
            }
            let end = ContinuousClock.now + .seconds(TestTier.choose(quick: 1, all: 3, nightly: 3))
            let expected: Set<SaveError.Code> = [.conflict, .referentialIntegrity]
            let (moves, deletions) = try await withThrowingTaskGroup(of: (Int, Int).self) { group in
                for _ in 0..<2 {
                    group.addTask {
                        var moves = 0
                        while ContinuousClock.now < end || moves == 0 {
                            let code = try await container.perform { context in
                                let boxes = try context.fetch("Box")
                                for (index, item) in try context.fetch("Item").enumerated() {
                                    if !inTwoShapes || index.isMultiple(of: 2) {
                                        item["a"] = (item["a"] as? Int64 ?? 0) + 1
                                    }
                                    item["box"] = boxes.randomElement()
                                }
                                return saveError { try context.save() }?.code
                            }
                            moves += code == nil ? 1 : 0
                            if let code { #expect(expected.contains(code), "\(code)") }
                        }
                        return (moves, 0)
                    }
                }
                group.addTask {
                    var deletions = 0
                    while ContinuousClock.now < end || deletions == 0 {
                        try await container.perform { context in
                            _ = context.insert("Box")
                            try context.save()
                            let boxes = try context.fetch("Box", sortedBy: .key("name"))
                            context.delete(boxes[0])
                            try context.save()
                        }
                        deletions += 1
                    }
                    return (0, deletions)
                }
                return try await group.reduce((0, 0)) { ($0.0 + $1.0, $0.1 + $1.1) }
            }
            #expect(moves > 0 && deletions > 0, "\(moves) moves, \(deletions) deletions")
            let deadlocks = try sql.value(
                "SELECT deadlocks::text FROM pg_stat_database WHERE datname = current_database()")
            #expect(deadlocks == "0", "\(moves) moves, \(deletions) deletions")
        }
    }

    /// One statement more, in a round trip that there is.
    @Test func destinationsAreLockedFirstOfSeveralRows() async throws {
        try await withStore(Self.model()) { container, _ in
            let ids = try await container.perform { context in
                let box = context.insert("Box")
                let items = (0..<3).map { _ in context.insert("Item") }
                try context.save()
                return (box.objectID, items.map(\.objectID))
            }
            for (count, locks) in [(1, 0), (3, 1)] {
                try await container.perform { context in
                    let box = context.object(with: ids.0)
                    for id in ids.1.prefix(count) {
                        let item = try context.existingObject(with: id)
                        item["box"] = count == 1 ? nil : box
                        item["a"] = 10 + Int64(count)
                    }
                    container.statementLog.start()
                    try context.save()
                }
                let found = container.statementLog.events.filter { $0.sql.hasSuffix("FOR KEY SHARE") }
                #expect(found.count == locks, "\(container.statementLog.events.map(\.sql))")
            }
        }
    }

    /// In a larger transaction the save cannot be repeated by itself.
    @Test(.needsSession) func aDeadlockInALargerTransactionHasItsCode() async throws {
        try await CompanyStore.with { store in
            let ids = try await store.hire(2)
            let rival = try Stranger(
                store.url + "&options=-c%20deadlock_timeout%3D60s",
                "SELECT 1 FROM employee WHERE _id = \(ids[1].key) FOR UPDATE")
            let container = try await PersistentContainer.open(
                store.url + "&options=-c%20deadlock_timeout%3D50ms", model: Company.model())
            let sql = PlainSQL(url: store.url)
            let error = try await container.perform(isolation: .readCommitted) { context in
                try context.existingObject(with: ids[0]).visits = 1
                try context.save()
                rival.run("SELECT 1 FROM employee WHERE _id = \(ids[0].key) FOR UPDATE")
                for _ in 0..<60_000 {
                    let waiting = try sql.value(
                        "SELECT count(*)::text FROM pg_stat_activity WHERE datname = current_database() "
                            + "AND wait_event_type = 'Lock'")
                    if waiting == "1" { break }
                    Thread.sleep(forTimeInterval: 0.005)
                }
                try context.existingObject(with: ids[1]).visits = 2
                let error = saveError { try context.save() }
                context.rollback()
                return error
            }
            rival.end()
            #expect(error?.code == .deadlock)
            #expect(error?.databaseError?.sqlState == SQLState.deadlockDetected)
            #expect(error?.description.contains("perform(isolation:retrying:)") == true)
            await container.close()
        }
    }
}
