import Howdah
import HowdahTesting
import TestSupport
import Testing

/// Owners with a minimum of members, whose versions a deletion of a member moves.
@Suite(.timeLimit(.minutes(60))) struct CountedOwnerTests {
    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                "Team",
                properties: [
                    .attribute("name", .string),
                    .relationship("members", to: "Person", inverse: "team", toMany: true, minCount: 1),
                    .relationship("lead", to: "Person", inverse: "leads"),
                ]),
            EntityDescription(
                "Person",
                properties: [
                    .attribute("name", .string), .relationship("team", to: "Team", inverse: "members"),
                    .relationship("leads", to: "Team", inverse: "lead", toMany: true),
                ]),
        ])
    }

    nonisolated(nonsending) private static func with(
        _ body: (PersistentContainer, PlainSQL) async throws -> Void
    ) async throws {
        try await withTestDatabase(for: model()) { database in
            let container = try await PersistentContainer.open(database.url, model: model())
            try await container.perform { context in
                let team = context.insert("Team")
                team["name"] = "team"
                for name in ["lead", "other", "third"] {
                    let person = context.insert("Person")
                    (person["name"], person["team"]) = (name, team)
                    if name == "lead" { team["lead"] = person }
                }
                try context.save()
            }
            let sql = PlainSQL(url: database.url)
            try await container.closing { try await body($0, sql) }
        }
    }

    private static func person(_ name: String, _ context: ManagedObjectContext) throws -> ManagedObject {
        var request = FetchRequest<ManagedObject>(entityName: "Person")
        request.predicate = .format("name == %@", name)
        return try #require(context.fetch(request).first)
    }

    /// The owner loses its to-one by the same save.
    @Test(arguments: [true, false]) func aMemberThatTheOwnerLeadsToCanGo(isOwnerLoaded: Bool) async throws {
        try await Self.with { container, sql in
            try await container.perform { context in
                let teams = isOwnerLoaded ? try context.fetch("Team") : []
                #expect(teams.count == (isOwnerLoaded ? 1 : 0))
                context.delete(try Self.person("lead", context))
                try context.save()
                if let team = teams.first {
                    #expect(team["lead"] == nil)
                    team["name"] = "again"
                    try context.save()
                }
            }
            let row = try sql.rows("SELECT lead::text, _version::text FROM team")[0]
            #expect(row == [nil, isOwnerLoaded ? "3" : "2"])
        }
    }

    @Test func anOwnerThatChangedMeanwhileIsAConflict() async throws {
        try await Self.with { container, sql in
            let error = await #expect(throws: SaveError.self) {
                try await container.perform { context in
                    let team = try #require(context.fetch("Team").first)
                    #expect(team["name"] as? String == "team")
                    _ = try sql.rows("UPDATE team SET name = 'renamed', _version = _version + 1")
                    context.delete(try Self.person("other", context))
                    try context.save()
                }
            }
            #expect(error?.code == .conflict, "\(error as Any)")
            #expect(error?.conflicts.count == 1)
            // Repeating ends, and so does a policy.
            let attempts = try await container.perform(retrying: .conflicts(upTo: 3)) { context in
                let team = try #require(context.fetch("Team").first)
                #expect(team["name"] as? String == "renamed")
                context.delete(try Self.person("other", context))
                try context.save()
                return 1
            }
            #expect(attempts == 1)
            try await container.perform { context in
                context.mergePolicy = .mergeByPropertyObjectTrump
                let team = try #require(context.fetch("Team").first)
                #expect(team["name"] as? String == "renamed")
                _ = try sql.rows("UPDATE team SET name = 'again', _version = _version + 1")
                context.delete(try Self.person("third", context))
                try context.save()
                #expect(team["name"] as? String == "again")
            }
            #expect(try sql.value("SELECT count(*)::text FROM person") == "1")
        }
    }
}
