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

    private static func teams() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
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
    }

    @Test(arguments: [MergePolicy.MergeType.mergeByPropertyObjectTrump, .overwrite], Reading.allCases)
    func theMemberHasAPlace(type: MergePolicy.MergeType, reading: Reading) async throws {
        let model = try Self.teams()
        try await withTestDatabase(for: model) { database in
            let container = try await PersistentContainer.open(database.url, model: model)
            try await container.closing { container in
                try await container.perform { try Self.fill($0) }
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

    /// A team with the members a, m and b.
    private static func fill(_ context: ManagedObjectContext) throws {
        let team = context.insert("Team")
        for name in ["a", "m", "b"] {
            let member = context.insert("Member")
            member["name"] = name
            member["team"] = team
        }
        try context.save()
    }

    private static func names(_ owner: ManagedObject, _ key: String = "members") throws -> [String?] {
        owner.orderedMembers(forKey: key).map { $0["name"] as? String }
    }

    /// A row that is there and whose to-one the policy writes back, in a list that did not change here.
    @Test(arguments: Reading.allCases) func whatIsWrittenBackHasAPlace(reading: Reading) async throws {
        try await withStore(Self.teams()) { container, sql in
            try await container.perform { try Self.fill($0) }
            let seen = try await container.perform { context in
                context.mergePolicy = .overwrite
                let member = try #require(
                    context.fetch("Member", matching: .format("name == 'm'")).first)
                let team = try #require(member["team"] as? ManagedObject)
                if reading == .count { _ = team.orderedMembers(forKey: "members").count }
                if reading == .members { _ = team.value(forKey: "members") }
                try sql.rows(
                    "UPDATE member SET team = NULL, team_order = NULL, _version = _version + 1 WHERE name = 'm'"
                )
                member["value"] = 1
                try context.save()
                return try Self.names(#require(context.fetch("Team").first))
            }
            #expect(try sql.value("SELECT count(*)::text FROM member WHERE team_order IS NULL") == "0")
            let stored = try await container.perform { try Self.names(#require($0.fetch("Team").first)) }
            #expect(stored == seen && Set(stored) == ["a", "m", "b"])
            if reading == .members { #expect(stored == ["a", "m", "b"]) }
        }
    }

    /// Links that go and come with a row keep their places where lists are loaded, and else come last.
    @Test(arguments: [MergePolicy.MergeType.mergeByPropertyObjectTrump, .overwrite], [false, true])
    func linksHaveTheirPlaces(type: MergePolicy.MergeType, isLoaded: Bool) async throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                "Tag",
                properties: [
                    .attribute("name", .string),
                    .relationship("holders", to: "Holder", inverse: "tags", toMany: true, ordered: true),
                ]),
            EntityDescription(
                "Holder",
                properties: [
                    .attribute("name", .string), .attribute("value", .integer64),
                    .relationship("tags", to: "Tag", inverse: "holders", toMany: true, ordered: true),
                ]),
        ])
        try await withStore(model) { container, sql in
            try await container.perform { context in
                let tags = ["g", "h", "i"].map { name in
                    let tag = context.insert("Tag")
                    tag["name"] = name
                    return tag
                }
                for name in ["a", "m", "b"] {
                    let holder = context.insert("Holder")
                    holder["name"] = name
                    holder["tags"] = tags
                }
                try context.save()
            }
            try await container.perform { context in
                context.mergePolicy = MergePolicy(merge: type)
                let holder = try #require(
                    context.fetch("Holder", matching: .format("name == 'm'")).first)
                let tags = try #require(holder.value(forKey: "tags") as? [ManagedObject])
                #expect(tags.count == 3)
                if isLoaded { for tag in tags { _ = tag.value(forKey: "holders") } }
                try sql.rows("DELETE FROM holder WHERE name = 'm'")
                holder["value"] = 1
                try context.save()
                for tag in tags where isLoaded {
                    #expect(try Self.names(tag, "holders") == ["a", "m", "b"])
                }
            }
            try await container.perform { context in
                for tag in try context.fetch("Tag") {
                    #expect(
                        try Self.names(tag, "holders") == (isLoaded ? ["a", "m", "b"] : ["a", "b", "m"]))
                }
                let holder = try #require(
                    context.fetch("Holder", matching: .format("name == 'm'")).first)
                #expect(try Self.names(holder, "tags") == ["g", "h", "i"])
            }
        }
    }
}
