import Howdah
import HowdahTesting
import TestSupport
import Testing

/// No minimum count holds for an optional to-many relationship without members.
@Suite struct OptionalMinimumSaveTests {
    /// A team has no players or two to four, and always one on its bench.
    private static func model(manyToMany: Bool = false, optional: Bool? = true) throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                "Team",
                properties: [
                    .relationship(
                        "players", to: "Player", inverse: "team", toMany: true, optional: optional,
                        minCount: 2,
                        maxCount: 4)
                ]),
            EntityDescription(
                "Player",
                properties: [
                    .attribute("name", .string),
                    .relationship("team", to: "Team", inverse: "players", toMany: manyToMany),
                ]),
        ])
    }

    private static func codes(_ body: () throws -> Void) -> [Int] {
        do {
            try body()
            return []
        } catch {
            return (error as? SaveError)?.issues.map(\.code) ?? [-1]
        }
    }

    /// Each number of members, reached from each other one, in a context and in one that has loaded nothing.
    @Test(arguments: [false, true], [true, false])
    func noMembersAreEnoughAndOneIsTooFew(manyToMany: Bool, optional: Bool) async throws {
        try await withTestStore(Self.model(manyToMany: manyToMany, optional: optional)) { container in
            let allowed: Set = optional ? [0, 2, 3, 4] : [2, 3, 4]
            for (before, after) in [2, 3, 4].flatMap({ a in (0...5).map { (a, $0) } }) {
                let id = try await container.perform { context in
                    let team = context.insert("Team")
                    for _ in 0..<before { context.insert("Player")["team"] = manyToMany ? [team] : team }
                    try context.save()
                    return team.objectID
                }
                let codes = try await container.perform { context in
                    let team = try context.existingObject(with: id)
                    let players = (team.value(forKey: "players") as? [ManagedObject]) ?? []
                    for player in players.prefix(max(0, before - after)) { context.delete(player) }
                    for _ in 0..<max(0, after - before) {
                        context.insert("Player")["team"] = manyToMany ? [team] : team
                    }
                    let codes = Self.codes { try context.save() }
                    context.rollback()
                    return codes
                }
                #expect(
                    codes == (allowed.contains(after) ? [] : after < 2 ? [1580] : [1590]),
                    "\(before) → \(after)")
            }
        }
    }

    @Test func newAndChildOwnersMayBeEmpty() async throws {
        try await withTestStore(Self.model()) { container in
            try await container.perform { context in
                _ = context.insert("Team")
                try context.save()
                let child = context.newChildContext()
                let team = child.insert("Team")
                try child.save()
                child.insert("Player")["team"] = team
                #expect(Self.codes { try child.save() } == [1580])
                child.insert("Player")["team"] = team
                try child.save()
                try context.save()
                #expect(try context.count(for: FetchRequest<ManagedObject>(entityName: "Team")) == 2)
            }
        }
    }

    @Test func theMessageNamesBothWaysOut() async throws {
        try await withTestStore(Self.model()) { container in
            try await container.perform { context in
                context.insert("Player")["team"] = context.insert("Team")
                let error = #expect(throws: SaveError.self) { try context.save() }
                #expect(
                    error?.issues.first?.message
                        == "has 1 member, and the model's minimum is 2. Add more before you save, or remove all."
                )
                context.rollback()
            }
        }
    }

    /// A store that a library before made knows nothing of the word. Its tables are the same, so it opens, and is not migrated.
    @Test(.needsSession) func aStoreMadeBeforeOpens() async throws {
        let (before, now) = (try Self.model(optional: nil), try Self.model())
        #expect(before.versionChecksum != now.versionChecksum)
        try await withTemporaryDatabase(for: before) { database in
            try await PersistentContainer.open(database.url, model: before).close()
            let automatic: [Bool] = [false, true]
            for isAutomatic in automatic {
                var options = StoreOptions()
                options.shouldMigrateStoreAutomatically = isAutomatic
                let container = try await PersistentContainer.open(database.url, model: now, options: options)
                try await container.perform { context in
                    _ = context.insert("Team")
                    try context.save()
                }
                await container.close()
            }
            let rows = try PlainSQL(url: database.url).rows("SELECT checksum FROM _howdah_store")
            #expect(rows == [[before.versionChecksum]])
            // Another difference is one.
            await #expect(throws: StoreError.self) {
                try await PersistentContainer.open(database.url, model: Self.model(manyToMany: true)).close()
            }
        }
    }
}
