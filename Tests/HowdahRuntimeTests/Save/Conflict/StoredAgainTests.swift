import Howdah
import HowdahModel
import HowdahTesting
import TestSupport
import Testing

/// Objects that a policy stores again because their rows are gone, together with what they lead to.
@Suite struct StoredAgainTests {
    private static let types: [MergePolicy.MergeType] = [.mergeByPropertyObjectTrump, .overwrite]

    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                "Team",
                properties: [
                    .attribute("name", .string), .attribute("n", .integer64, default: 0),
                    .relationship(
                        "members", to: "Person", inverse: "team", toMany: true, ordered: true),
                ]),
            EntityDescription(
                "Person",
                properties: [
                    .attribute("code", .string), .attribute("n", .integer64, default: 0),
                    .attribute("m", .integer64, default: 0),
                    .relationship("team", to: "Team", inverse: "members"),
                ]),
        ])
    }

    /// A team with people, another team without, and one who is in neither.
    nonisolated(nonsending)
        private static func fill(_ container: PersistentContainer, members: Int) async throws
    {
        try await container.perform { context in
            let teams = ["t0", "t1"].map { name in
                let team = context.insert("Team")
                team["name"] = name
                return team
            }
            for number in 0...members {
                let person = context.insert("Person")
                person["code"] = "p\(number)"
                if number < members { person["team"] = teams[0] }
            }
            try context.save()
        }
    }

    private static func find(
        _ entity: String, _ key: String, _ value: String, in context: ManagedObjectContext
    ) throws -> ManagedObject {
        var request = FetchRequest<ManagedObject>(entityName: entity)
        request.predicate = .format("\(key) == %@", value)
        return try #require(try context.fetch(request).first)
    }

    /// What is gone as well is neither read nor stored again.
    @Test(arguments: types, [false, true])
    func nothingFailsAfterTheSave(type: MergePolicy.MergeType, isLoaded: Bool) async throws {
        try await withStore(Self.model()) { container, sql in
            try await Self.fill(container, members: 1)
            try await container.perform { context in
                context.mergePolicy = MergePolicy(merge: type)
                let team = isLoaded ? try Self.find("Team", "name", "t0", in: context) : nil
                let person = try Self.find("Person", "code", "p0", in: context)
                person["n"] = Int64(9)
                try sql.rows("DELETE FROM person")
                try sql.rows("DELETE FROM team")
                try context.save()
                #expect(!context.hasChanges && person["team"] as? ManagedObject == nil)
                #expect(team?.isDeleted != true)
            }
            #expect(try sql.rows("SELECT code, n::text, team::text FROM person") == [["p0", "9", nil]])
            #expect(try sql.value("SELECT count(*)::text FROM team") == "0")
        }
    }

    /// Does something as soon as the first conflict is resolved.
    private final class Racing: MergePolicy {
        var rounds = 0
        private let race: () throws -> Void

        init(_ type: MergeType, _ race: @escaping () throws -> Void) {
            self.race = race
            super.init(merge: type)
        }

        override func resolve(optimisticLockingConflicts conflicts: [MergeConflict]) throws {
            rounds += 1
            try super.resolve(optimisticLockingConflicts: conflicts)
            if rounds == 1 { try race() }
        }
    }

    /// The policy is asked again, with the row that another context was first to store again.
    @Test(arguments: types) func aRowThatIsThereAgainIsMerged(type: MergePolicy.MergeType) async throws {
        try await withStore(Self.model()) { container, sql in
            try await Self.fill(container, members: 1)
            let key = try #require(try sql.value("SELECT _id::text FROM person WHERE code = 'p0'"))
            try await container.perform { context in
                let policy = Racing(type) {
                    try sql.rows(
                        "INSERT INTO person (_id, _version, code, n, m) VALUES (\(key), 99, 'p0', 1, 50)")
                }
                context.mergePolicy = policy
                let person = try Self.find("Person", "code", "p0", in: context)
                person["n"] = Int64(77)
                try sql.rows("DELETE FROM person WHERE code = 'p0'")
                try context.save()
                #expect(policy.rounds == 2 && !context.hasChanges)
                #expect(person["m"] as? Int64 == (type == .overwrite ? 0 : 50))
            }
            let row = try sql.rows("SELECT n::text, m::text, _version::text FROM person WHERE code = 'p0'")
            #expect(row == [["77", type == .overwrite ? "0" : "50", "100"]])
        }
    }

    /// A list that is stored again has the place of who joined it, loaded or not.
    @Test(arguments: types, [false, true])
    func whoJoinsAListHasAPlace(type: MergePolicy.MergeType, isLoaded: Bool) async throws {
        try await withStore(Self.model()) { container, sql in
            try await Self.fill(container, members: 2)
            try await container.perform { context in
                context.mergePolicy = MergePolicy(merge: type)
                let team = try Self.find("Team", "name", "t0", in: context)
                if isLoaded { #expect((team.value(forKey: "members") as? [ManagedObject])?.count == 2) }
                try Self.find("Person", "code", "p2", in: context)["team"] = team
                try sql.rows(
                    "UPDATE person SET team = NULL, team_order = NULL, _version = _version + 1 WHERE code <> 'p2'"
                )
                try sql.rows("DELETE FROM team WHERE name = 't0'")
                try context.save()
            }
            let places = try sql.rows(
                "SELECT code, (team IS NULL)::text, (team_order IS NULL)::text FROM person ORDER BY code")
            #expect(
                places == [["p0", "true", "true"], ["p1", "true", "true"], ["p2", "false", "false"]],
                "\(places)")
        }
    }

    /// Owner and members go and come together.
    @Test(arguments: types) func aWholeListHasItsPlaces(type: MergePolicy.MergeType) async throws {
        try await withStore(Self.model()) { container, sql in
            try await Self.fill(container, members: 3)
            try await container.perform { context in
                context.mergePolicy = MergePolicy(merge: type)
                for person in try context.fetch("Person") { person["n"] = Int64(9) }
                try Self.find("Team", "name", "t0", in: context)["n"] = Int64(9)
                try sql.rows("DELETE FROM person")
                try sql.rows("DELETE FROM team")
                try context.save()
            }
            let placed = "SELECT count(*)::text FROM person WHERE team IS NOT NULL AND team_order IS NOT NULL"
            #expect(try sql.value(placed) == "3")
        }
    }

    /// A destination that is taken over from the store is no change of the lists of either.
    @Test func aDestinationOfTheStoreMovesNoVersions() async throws {
        try await withStore(Self.model()) { container, sql in
            try await Self.fill(container, members: 1)
            let editing = container.newBackgroundContext()
            try await editing.perform { context in
                context.mergePolicy = .mergeByPropertyObjectTrump
                for team in try context.fetch("Team") { _ = team.value(forKey: "members") }
                try Self.find("Person", "code", "p0", in: context)["n"] = Int64(5)
            }
            try await container.perform { context in
                let person = try Self.find("Person", "code", "p0", in: context)
                person["team"] = try Self.find("Team", "name", "t1", in: context)
                try context.save()
            }
            let versions = "SELECT _version::text FROM team ORDER BY name"
            let before = try sql.rows(versions)
            try await editing.perform { context in
                try context.save()
                let person = try Self.find("Person", "code", "p0", in: context)
                let team = try Self.find("Team", "name", "t1", in: context)
                #expect(person["n"] as? Int64 == 5 && person["team"] as? ManagedObject == team)
                #expect((team.value(forKey: "members") as? [ManagedObject])?.first == person)
            }
            #expect(try sql.rows(versions) == before)
        }
    }
}
