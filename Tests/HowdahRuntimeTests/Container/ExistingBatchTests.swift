import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

@testable import HowdahRuntime

/// Batch requests over tables that another program made.
@Suite struct ExistingBatchTests {
    @Test func rowsAreInsertedChangedAndDeleted() async throws {
        try await Shop.with(Shop.tables) { shop in
            try await shop.open { container in
                let moment = Date(timeIntervalSince1970: 86_400)
                let ids = try await container.perform { context in
                    let ids = try context.execute(
                        BatchInsertRequest(
                            ManagedObject.self, entityName: "Customer",
                            objects: [["name": "x", "mood": "cross", "code": "X1"], ["name": "y"]],
                            result: .objectIDs)
                    ).objectIDs
                    var isDone = false
                    let result = try context.execute(
                        BatchInsertRequest(
                            ManagedObject.self, entityName: "Purchase",
                            managedObjectHandler: { purchase in
                                if isDone { return true }
                                isDone = true
                                purchase["at"] = moment
                                purchase["total"] = Decimal(2)
                                purchase["tags"] = ["t"]
                                purchase["customer"] = context.object(with: ids[0])
                                return false
                            }))
                    #expect(result.count == 1)
                    return ids
                }
                #expect(
                    try shop.sql.value(
                        """
                        SELECT concat(p.at, ' ', p.total, ' ', p.tags, ' ', c.name, ' ', c.mood, ' ', c.code, ' ', c._version, ' ', p.lock_version)
                        FROM purchase p JOIN customer c ON c.id = p.customer_id WHERE c.name = 'x'
                        """) == "1970-01-02 00:00:00 2.00 {t} x cross X1    1 1")
                try await container.perform { context in
                    func update(_ entity: String, _ format: String, _ values: [String: BatchUpdateValue])
                        throws
                        -> Int
                    {
                        var request = FetchRequest<ManagedObject>(entityName: entity)
                        request.predicate = .format(format)
                        return try context.execute(BatchUpdateRequest(request, set: values)).count
                    }
                    try #expect(update("Customer", "name == 'x'", ["mood": "calm", "code": "Z"]) == 1)
                    try #expect(
                        update("Customer", "name == 'y'", ["name": .expression("uppercase:(name)")]) == 1)
                    try #expect(
                        update(
                            "Purchase", "customer.name == 'x'",
                            [
                                "total": .expression("total * 2 + shelf.@count"),
                                "at": .expression("CAST(CAST(at, 'NSNumber') + 1, 'NSDate')"), "tags": nil,
                            ]) == 1)
                    // A type of the database's own takes values, and nothing that is computed.
                    expect(.invalidRequest) {
                        _ = try update("Customer", "name == 'x'", ["mood": .expression("lowercase:(mood)")])
                    }
                    let error = #expect(throws: SaveError.self) {
                        _ = try update("Customer", "name == 'Y'", ["code": "A1"])
                    }
                    #expect(error?.code == .uniqueness && error?.issues.first?.propertyName == "code")
                    expect(.invalidRequest) { _ = try update("Shelf", "label == 'top'", ["label": "a"]) }
                }
                #expect(
                    try shop.sql.value(
                        """
                        SELECT concat(p.at, ' ', p.total, ' ', p.tags, ' ', c.mood, ' ', c.code, ' ', c._version, ' ', p.lock_version)
                        FROM purchase p JOIN customer c ON c.id = p.customer_id WHERE c.name = 'x'
                        """) == "1970-01-02 00:00:01 4.00  calm Z     2 2")
                try await container.perform { context in
                    // A purchase needs its customer.
                    let refused = #expect(throws: SaveError.self) {
                        try context.execute(BatchDeleteRequest(objectIDs: ids))
                    }
                    #expect(refused?.code == .referentialIntegrity)
                    var purchases = FetchRequest<ManagedObject>(entityName: "Purchase")
                    purchases.predicate = .format("customer.name == 'x'")
                    #expect(try context.execute(BatchDeleteRequest(purchases)).count == 1)
                    let result = try context.execute(BatchDeleteRequest(objectIDs: ids, result: .objectIDs))
                    #expect(Set(result.objectIDs) == Set(ids))
                }
                #expect(try shop.sql.value("SELECT count(*)::text FROM customer") == "3")
            }
        }
    }

    @Test func rowsOfATableWithoutVersionsAreReadOnly() async throws {
        try await Shop.with(Shop.tables) { shop in
            try await shop.open { container in
                try await container.perform { context in
                    let error = #expect(throws: (any Error).self) {
                        try context.execute(
                            BatchInsertRequest(
                                ManagedObject.self, entityName: "Shelf", objects: [["label": "new"]]))
                    }
                    #expect("\(error.map { "\($0)" } ?? "")".contains("no version column"))
                }
            }
        }
    }

    @Test func anotherProgramsRulesNameTheRow() async throws {
        try await Shop.with(Shop.tables) { shop in
            try await shop.open { container in
                try await container.perform { context in
                    func failure(_ rows: [[String: Any]]) -> SaveError? {
                        #expect(throws: SaveError.self) {
                            try context.execute(
                                BatchInsertRequest(ManagedObject.self, entityName: "Customer", objects: rows))
                        }
                    }
                    for (property, value) in [
                        ("name", String(repeating: "n", count: 41)), ("code", "123456"), ("code", "A1"),
                        ("mood", "merry"),
                    ] {
                        let row: [String: Any] = ["name": "x"].merging([property: value]) { $1 }
                        let error = failure([["name": "fine"], row])
                        #expect(error?.issues.first?.row == 2, "\(property): \(error.map { "\($0)" } ?? "")")
                        #expect(
                            error?.issues.first?.propertyName == property, "\(error.map { "\($0)" } ?? "")")
                    }
                }
            }
        }
    }
}
