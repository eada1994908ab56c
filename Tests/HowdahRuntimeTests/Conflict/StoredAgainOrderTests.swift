import Howdah
import HowdahModel
import HowdahTesting
import PQClient
import TestSupport
import Testing

/// A member that a policy stores again has a place in its ordered list, whether the list is loaded or not.
@Suite struct StoredAgainOrderTests {
    enum Reading: CaseIterable {
        case nothing, count, members
    }

    @Test(arguments: [MergePolicy.MergeType.mergeByPropertyObjectTrump, .overwrite], Reading.allCases)
    func theMemberHasAPlace(type: MergePolicy.MergeType, reading: Reading) async throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                "Team",
                properties: [
                    .relationship("members", to: "Member", inverse: "team", toMany: true, ordered: true)
                ]),
            EntityDescription(
                "Member",
                properties: [
                    .attribute("name", .string), .attribute("value", .integer64),
                    .relationship("team", to: "Team", inverse: "members"),
                ]),
        ])
        try await withTemporaryDatabase(for: model) { database in
            let container = try await PersistentContainer.open(database.url, model: model)
            try await container.closing { container in
                try await container.perform { context in
                    let team = context.insert("Team")
                    for name in ["a", "m", "b"] {
                        let member = context.insert("Member")
                        member["name"] = name
                        member["team"] = team
                    }
                    try context.save()
                }
                let seen = try await container.perform { context in
                    context.mergePolicy = MergePolicy(merge: type)
                    let member = try #require(
                        context.fetch("Member", matching: .format("name == 'm'")).first)
                    let value = member["value"]
                    #expect(value == nil)
                    if reading != .nothing, let team = member["team"] as? ManagedObject {
                        _ = team.orderedMembers(forKey: "members").count
                        if reading == .members { _ = team.value(forKey: "members") }
                    }
                    let sql = try Connection(ConnectionConfiguration(database.url))
                    defer { sql.close() }
                    _ = try sql.query("DELETE FROM member WHERE name = 'm'", cached: false)
                    member["value"] = 1
                    try context.save()
                    return try Self.names(#require(context.fetch("Team").first))
                }
                let stored = try await container.perform {
                    try Self.names(#require($0.fetch("Team").first))
                }
                let sql = try Connection(ConnectionConfiguration(database.url))
                defer { sql.close() }
                let unplaced = try sql.query(
                    "SELECT count(*) FROM member WHERE team_order IS NULL", cached: false
                ).map { $0[0].int64 }
                #expect(unplaced == [0])
                #expect(stored == seen && Set(stored) == ["a", "m", "b"])
                #expect(stored == (reading == .nothing ? ["a", "b", "m"] : ["a", "m", "b"]))
            }
        }
    }

    private static func names(_ team: ManagedObject) throws -> [String?] {
        team.orderedMembers(forKey: "members").map { $0["name"] as? String }
    }
}
