import Howdah
import HowdahModel
import HowdahTesting
import TestSupport
import Testing

/// Objects show derived values of the store again once a transaction is rolled back.
@Suite struct DerivedRollbackTests {
    private struct Abort: Error {}

    @Test func valuesOfASaveThatNeverWasAreTakenBack() async throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                "Team",
                properties: [
                    .attribute("name", .string),
                    .attribute("count", .integer64, derivation: "members.@count"),
                    .relationship("members", to: "Member", inverse: "team", toMany: true),
                ]),
            EntityDescription(
                "Member",
                properties: [
                    .attribute("teamName", .string, derivation: "team.name"),
                    .relationship("team", to: "Team", inverse: "members"),
                ]),
        ])
        try await withTestStore(model) { container in
            let handle = container.newBackgroundContext()
            let member = try await handle.perform { context in
                let (first, second, member) = (
                    context.insert("Team"), context.insert("Team"), context.insert("Member")
                )
                (first["name"], second["name"], member["team"]) = ("A", "B", first)
                try context.save()
                context.reset()
                return member.objectID
            }
            for isUndone in [false, true] {
                await #expect(throws: Abort.self) {
                    try await handle.perform(isolation: .readCommitted) { context in
                        let member = try context.existingObject(with: member)
                        #expect(member["teamName"] as? String == "A")
                        member["team"] = try context.fetch("Team", matching: .format("name == 'B'")).first
                        try context.save()
                        #expect(member["teamName"] as? String == "B")
                        throw Abort()
                    }
                }
                try await handle.perform { context in
                    let object = try context.existingObject(with: member)
                    if isUndone {
                        context.rollback()
                    } else {
                        object["team"] = try context.fetch("Team", matching: .format("name == 'A'")).first
                        try context.save()
                    }
                    #expect(object["teamName"] as? String == "A")
                    let counts = try context.fetch("Team", sortedBy: .key("name")).map {
                        $0["count"] as? Int64
                    }
                    #expect(counts == [1, 0])
                }
            }
        }
    }
}
