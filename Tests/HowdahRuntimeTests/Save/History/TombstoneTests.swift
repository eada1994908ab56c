import Foundation
import HowdahModel
import HowdahTesting
import PQClient
import TestSupport
import Testing

@testable import HowdahRuntime

/// The values that the history keeps of deleted objects.
@Suite struct TombstoneTests {
    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                "Account",
                properties: [
                    .attribute("email", .string, preservesValueInHistoryOnDeletion: true),
                    .attribute("number", .integer64, preservesValueInHistoryOnDeletion: true),
                    .attribute("secret", .string),
                    .relationship(
                        "orders", to: "Order", inverse: "account", toMany: true, deleteRule: .cascade),
                ]),
            EntityDescription(
                "Order",
                properties: [
                    .attribute("code", .string, preservesValueInHistoryOnDeletion: true),
                    .relationship("account", to: "Account", inverse: "orders"),
                ]),
        ])
    }

    /// Values of more bytes than one row, and one statement, may have are divided.
    @Test(arguments: [false, true]) func largeValuesAreDivided(isBatch: Bool) async throws {
        try await withHistory(Self.model()) { container, sql in
            let count = 70
            try await container.perform { context in
                let account = context.insert("Account")
                for number in 0..<count {
                    let order = context.insert("Order")
                    order["code"] = "\(number) " + String(repeating: "x", count: 1 << 20)
                    order["account"] = account
                }
                try context.save()
            }
            let token = try await container.currentHistoryToken()
            try await container.perform { context in
                let request = FetchRequest<ManagedObject>(entityName: "Account")
                if isBatch {
                    _ = try context.execute(BatchDeleteRequest(request))
                } else {
                    for account in try context.fetch(request) { context.delete(account) }
                    try context.save()
                }
            }
            let rows = try sql.rows(
                "SELECT (max(octet_length(tombstones::text)) < 6 << 20)::text, count(DISTINCT number)::text FROM _howdah_history "
                    + "WHERE kind = 2 AND entity = 'Order'")
            #expect(rows == [["true", "1"]])
            let result = try await container.perform { try $0.execute(HistoryRequest.fetch(after: token)) }
            let changes = result.transactions.flatMap(\.changes).filter {
                $0.changedObjectID.entityName == "Order"
            }
            #expect(changes.count == count && changes.allSatisfy { $0.tombstone?["code"] != nil })
            #expect(result.transactions.count == 1)
        }
    }

    /// SQL can change the class of an object. Its key is of one object in the hierarchy.
    @Test func erasingLooksAtTheWholeHierarchy() async throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                "Account",
                properties: [.attribute("email", .string, preservesValueInHistoryOnDeletion: true)]),
            EntityDescription("Premium", superentity: "Account"),
        ])
        try await withHistory(model) { container, sql in
            let key = try await container.perform { context in
                let account = context.insert("Premium")
                account["email"] = "secret"
                try context.save()
                let key = account.key
                context.delete(account)
                try context.save()
                return key
            }
            let id = ObjectID<ManagedObject>(
                storeIdentifier: container.storeIdentifier, entityName: "Account", key: key)
            #expect(try await container.eraseTombstones(of: [id]) == 1)
            let found = try sql.rows(
                "SELECT count(*)::text FROM _howdah_history WHERE tombstones::text LIKE '%secret%'")
            #expect(found == [["0"]])
        }
    }

    private enum Way: CaseIterable { case loaded, fault, changed, batch }

    @Test(arguments: Way.allCases) private func deletionKeepsValues(way: Way) async throws {
        try await withHistory(Self.model()) { container, sql in
            let id = try await container.perform { context in
                let account = context.insert("Account")
                (account["email"], account["number"], account["secret"]) = ("a\"b@c", Int64(7), "s")
                let order = context.insert("Order")
                (order["code"], order["account"]) = ("O1", account)
                try context.save()
                return account.objectID as ObjectID<ManagedObject>
            }
            try await container.perform { context in
                switch way {
                case .loaded: context.delete(try context.existingObject(with: id))
                case .fault: context.delete(context.object(with: id))
                case .changed:
                    let account = try context.existingObject(with: id)
                    account["email"] = "other"
                    context.delete(account)
                case .batch:
                    _ = try context.execute(
                        BatchDeleteRequest(FetchRequest<ManagedObject>(entityName: "Account")))
                }
                try context.save()
            }
            let kept = try sql.rows(
                "SELECT entity, tombstones::text FROM _howdah_history WHERE kind = 2 ORDER BY entity")
            #expect(
                kept == [
                    ["Account", "[{\"email\": \"a\\\"b@c\", \"number\": 7}]"],
                    ["Order", "[{\"code\": \"O1\"}]"],
                ])
        }
    }

    /// A deletion that reaches nothing else is one statement, with its tombstones.
    @Test func loneDeletionsKeepValues() async throws {
        try await withHistory(Self.model()) { container, sql in
            try await container.perform { context in
                let orders = (0..<3).map { number in
                    let order = context.insert("Order")
                    order["code"] = "O\(number)"
                    return order
                }
                try context.save()
                context.delete(orders[0])
                container.statementLog.start()
                try context.save()
                _ = try context.execute(BatchDeleteRequest(FetchRequest<ManagedObject>(entityName: "Order")))
                #expect(container.statementLog.countBesidesPooler == 2)
            }
            let kept = try sql.rows(
                "SELECT tombstones::text FROM _howdah_history WHERE kind = 2 ORDER BY number")
            #expect(kept == [["[{\"code\": \"O0\"}]"], ["[{\"code\": \"O1\"}, {\"code\": \"O2\"}]"]])
        }
    }

    private static func staff() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                "Person",
                properties: [.attribute("name", .string, preservesValueInHistoryOnDeletion: true)]),
            EntityDescription(
                "Agent", superentity: "Person",
                properties: [.attribute("secret", .string, preservesValueInHistoryOnDeletion: true)]),
            EntityDescription(
                "Team",
                properties: [
                    .relationship("people", to: "Visit", inverse: "team", toMany: true, deleteRule: .cascade)
                ]),
            EntityDescription("Visit", properties: [.relationship("team", to: "Team", inverse: "people")]),
            EntityDescription(
                "Long", superentity: "Visit",
                properties: [.attribute("note", .string, preservesValueInHistoryOnDeletion: true)]),
        ])
    }

    @Test("A deleted object keeps the attributes of its own entity only")
    func rowsOfHierarchiesKeepTheirOwnAttributes() async throws {
        try await withHistory(Self.staff()) { container, sql in
            let objects = try await container.perform { context in
                let (person, agent) = (context.insert("Person"), context.insert("Agent"))
                (person["name"], agent["name"], agent["secret"]) = ("P", "A", "s")
                let (team, visit, long) = (
                    context.insert("Team"), context.insert("Visit"), context.insert("Long")
                )
                (visit["team"], long["team"], long["note"]) = (team, team, "n")
                try context.save()
                return [person, agent, team, visit, long].map(\.objectID)
            }
            try await container.perform { context in
                _ = try context.execute(
                    BatchDeleteRequest(FetchRequest<ManagedObject>(entityName: "Person")))
                context.delete(context.object(with: objects[2]))
                try context.save()
            }
            let kept = try sql.rows(
                "SELECT entity, tombstones::text FROM _howdah_history WHERE kind = 2 ORDER BY entity")
            #expect(
                kept == [
                    ["Agent", "[{\"name\": \"A\", \"secret\": \"s\"}]"], ["Long", "[{\"note\": \"n\"}]"],
                    ["Person", "[{\"name\": \"P\"}]"], ["Team", nil], ["Visit", nil],
                ])
        }
    }

    @Test("Bytes of a deleted object do not depend on the settings of the session")
    func bytesAreKeptUnderAnyOutputFormat() async throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                "File",
                properties: [
                    .attribute("data", .binary, preservesValueInHistoryOnDeletion: true),
                    .attribute("parts", .array(of: .binary), preservesValueInHistoryOnDeletion: true),
                    .attribute("none", .array(of: .binary), preservesValueInHistoryOnDeletion: true),
                    .attribute("empty", .array(of: .binary), preservesValueInHistoryOnDeletion: true),
                    .attribute("shape", .transformable, preservesValueInHistoryOnDeletion: true),
                ])
        ])
        try await withHistory(model) { _, sql in
            try sql.script(
                """
                DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET bytea_output = escape', current_database()); END $$
                """)
            let reopened = try await PersistentContainer.open(sql.url, model: model)
            let bytes = Data((0..<100).map { UInt8($0 * 2) })
            let parts = [bytes, Data(), Data("\\x00".utf8), Data([0, 92, 39, 34])]
            try await reopened.closing { container in
                let token = try await container.currentHistoryToken()
                try await container.perform { context in
                    let file = context.insert("File")
                    (file["data"], file["parts"], file["empty"]) = (bytes, parts, [Data]())
                    file["shape"] = bytes
                    try context.save()
                    _ = try context.execute(
                        BatchDeleteRequest(FetchRequest<ManagedObject>(entityName: "File")))
                }
                let changes = try await container.perform {
                    try $0.execute(HistoryRequest.fetch(after: token)).transactions.flatMap(\.changes)
                }
                let kept = try #require(changes.last?.tombstone)
                #expect(kept["data"] == .data(bytes) && kept["shape"] == .data(bytes))
                #expect(kept["parts"] == .array(parts.map { .data($0) }))
                #expect(kept["empty"] == .array([]) && kept["none"] == .null)
            }
        }
    }
}
