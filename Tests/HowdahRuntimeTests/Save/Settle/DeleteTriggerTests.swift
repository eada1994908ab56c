import Howdah
import HowdahModel
import HowdahTesting
import TestSupport
import Testing

@testable import HowdahRuntime

@Suite struct DeleteTriggerTests {
    private static func chain(_ rule: DeleteRule) throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                "Link",
                properties: [
                    .attribute("name", .string),
                    .relationship(
                        "next", to: "Link", inverse: "previous", deleteRule: rule,
                        userInfo: [MappingKey.deleteTrigger: "YES", MappingKey.column: "next"]),
                    .relationship("previous", to: "Link", inverse: "next"),
                ])
        ])
    }

    /// A trigger inside of a trigger is a level of the server's stack, which ends before a thousand.
    @Test func aLongChainGoesAtOnce() async throws {
        try await withStore(Self.chain(.cascade)) { container, sql in
            try await container.perform { context in
                let links = (0..<3_000).map { number in
                    let link = context.insert("Link")
                    link["name"] = "\(number)"
                    return link
                }
                for (link, next) in zip(links, links.dropFirst()) { link["next"] = next }
                try context.save()
            }
            try sql.rows("DELETE FROM link WHERE name = '1000'")
            #expect(try sql.value("SELECT count(*)::text FROM link") == "1000")
            let batch = try await container.perform { context in
                var request = FetchRequest<ManagedObject>(entityName: "Link")
                request.predicate = .format("name == '1'")
                return try context.execute(BatchDeleteRequest(request)).count
            }
            #expect(batch == 1)
            #expect(try sql.value("SELECT count(*)::text FROM link") == "1")
        }
    }

    /// A deferred check looks at the end of the transaction, as that of a foreign key does.
    @Test func denyWaitsForTheEndOfTheTransaction() async throws {
        try await withStore(Self.chain(.deny)) { container, sql in
            try await container.perform { context in
                context.insert("Link")["next"] = context.insert("Link")
                try context.save()
            }
            let session = try RuleSession(sql.url)
            try session.run("BEGIN")
            try session.run("SET CONSTRAINTS ALL DEFERRED")
            try session.run("DELETE FROM link WHERE next IS NOT NULL")
            try session.run("DELETE FROM link")
            try session.run("COMMIT")
            #expect(try sql.value("SELECT count(*)::text FROM link") == "0")
        }
    }

    /// What a save says to the triggers ends with the save, also inside of a transaction.
    @Test func aBatchDeletionAfterASaveHasItsTriggers() async throws {
        try await withStore(Self.chain(.cascade)) { container, sql in
            try await container.perform(isolation: .readCommitted) { context in
                for name in ["a", "b"] {
                    let link = context.insert("Link")
                    link["name"] = name
                    link["next"] = context.insert("Link")
                }
                try context.save()
                let request = { (name: String) in
                    var request = FetchRequest<ManagedObject>(entityName: "Link")
                    request.predicate = .format("name == %@", name)
                    return request
                }
                context.delete(try #require(try context.fetch(request("a")).first))
                try context.save()
                try context.execute(BatchDeleteRequest(request("b")))
            }
            #expect(try sql.value("SELECT count(*)::text FROM link") == "0")
        }
    }

    /// The graph that counts for a save is the one in memory: a trigger would take what the row still leads to.
    @Test func aSaveFollowsTheGraphAsItWillBe() async throws {
        for rule in [DeleteRule.cascade, .deny] {
            try await withStore(Self.chain(rule)) { container, sql in
                try await container.perform { context in
                    let (first, second) = (context.insert("Link"), context.insert("Link"))
                    first["next"] = second
                    try context.save()
                    first["next"] = nil
                    context.delete(first)
                    try context.save()
                    #expect(second.version == 1)
                }
                #expect(try sql.value("SELECT count(*)::text FROM link") == "1")
            }
        }
    }

    @Test func namesAreQuotedAndShortEnough() async throws {
        let long = String(repeating: "Überlang", count: 10)
        let userInfo = [MappingKey.deleteTrigger: "YES"]
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                "Left",
                properties: [
                    .relationship(
                        long, to: "Right", inverse: "lefts", toMany: true, deleteRule: .cascade,
                        userInfo: userInfo),
                    .relationship(
                        long + "s", to: "Right", deleteRule: .cascade, userInfo: userInfo),
                    .relationship("select", to: "Right", deleteRule: .deny, userInfo: userInfo),
                ], userInfo: [MappingKey.table: "O'Neil \"table\" \\"]),
            EntityDescription(
                "Right",
                properties: [
                    .relationship(
                        "lefts", to: "Left", inverse: long, toMany: true, deleteRule: .noAction,
                        userInfo: userInfo)
                ]),
        ])
        let names = try StoreSchema(model).tables.flatMap { $0.triggers.map(\.name) }
        #expect(names.count == 4 && Set(names).count == 4 && names.allSatisfy { $0.utf8.count <= 63 })
        var options = StoreOptions()
        options.schemaName = "My \"schema\""
        try await withStore(model, options: options) { container, sql in
            try await container.perform { context in
                let left = context.insert("Left")
                left.members(forKey: long).insert(context.insert("Right"))
                left[long + "s"] = context.insert("Right")
                try context.save()
                try context.execute(BatchDeleteRequest(FetchRequest<ManagedObject>(entityName: "Left")))
                #expect(try context.count(for: FetchRequest<ManagedObject>(entityName: "Right")) == 0)
            }
        }
    }

    @Test func theFlagIsPartOfTheChecksum() throws {
        let flagged = { (text: String?) in
            try ManagedObjectModel(entities: [
                EntityDescription(
                    "A",
                    properties: [
                        .relationship(
                            "b", to: "A", deleteRule: .cascade,
                            userInfo: text.map { [MappingKey.deleteTrigger: $0] } ?? [:])
                    ])
            ])
        }
        #expect(try flagged("YES").versionChecksum == flagged("true").versionChecksum)
        #expect(try flagged(nil).versionChecksum == flagged("NO").versionChecksum)
        #expect(try flagged(nil).versionChecksum != flagged("YES").versionChecksum)
        #expect(throws: ModelError.self) { try StoreSchema(flagged("maybe")) }
    }
}
