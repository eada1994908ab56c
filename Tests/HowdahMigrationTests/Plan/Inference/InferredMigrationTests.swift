import HowdahMigration
import HowdahModel
import HowdahRuntime
import HowdahStages
import HowdahTesting
import PQClient
import TestSupport
import Testing

/// Stores of small models that are migrated equal fresh ones, and hold what they held.
@Suite struct InferredMigrationTests {
    /// All steps; in a quick run half of them at once and the others deferred.
    private static func taken(_ steps: [ModelStep], defers: Bool) -> [ModelStep] {
        guard TestTier.current == .quick else { return steps }
        return steps.enumerated().filter { $0.offset.isMultiple(of: 2) != defers }.map(\.element)
    }

    @Test(arguments: taken(ModelStep.attributes, defers: false)) func attributes(_ step: ModelStep)
        async throws
    {
        try await Self.pass(step)
    }

    @Test(arguments: taken(ModelStep.relationships, defers: false)) func relationships(_ step: ModelStep)
        async throws
    {
        try await Self.pass(step)
    }

    @Test(arguments: taken(ModelStep.entities, defers: false)) func entities(_ step: ModelStep) async throws {
        try await Self.pass(step)
    }

    @Test(arguments: taken(ModelStep.attributes, defers: true)) func deferredAttributes(_ step: ModelStep)
        async throws
    {
        try await Self.pass(step, defers: true)
    }

    @Test(arguments: taken(ModelStep.relationships, defers: true)) func deferredRelationships(
        _ step: ModelStep
    ) async throws {
        try await Self.pass(step, defers: true)
    }

    @Test(arguments: taken(ModelStep.entities, defers: true)) func deferredEntities(_ step: ModelStep)
        async throws
    {
        try await Self.pass(step, defers: true)
    }

    @Test(arguments: [false, true].flatMap { way in taken(ModelStep.moves, defers: way).map { ($0, way) } })
    func moves(_ step: ModelStep, defers: Bool) async throws {
        try await Self.pass(step, defers: defers, rehearses: true)
    }

    @Test func whatIsDerivedFromOthersIsComputed() async throws {
        let step = try #require(ModelStep.relationships.first { $0.testDescription == "counted" })
        let (old, new) = (
            try ManagedObjectModel(entities: step.old()), try ManagedObjectModel(entities: step.new())
        )
        try await withTemporaryDatabase(for: old) { database in
            let before = try await PersistentContainer.open(database.url, model: old)
            try await before.perform { context in
                let owner = context.insert("Owner")
                owner["name"] = "Ada"
                for _ in 0..<3 { context.insert("Member")["owner"] = owner }
                try context.save()
            }
            await before.close()
            let connection = try Connection(ConnectionConfiguration(database.url))
            defer { connection.close() }
            _ = try StoreMigration(connection, to: new).apply()
            let after = try await PersistentContainer.open(database.url, model: new)
            let values = try await after.perform { context in
                let owner = try context.fetch(FetchRequest<ManagedObject>(entityName: "Owner")).first
                let names = try context.fetch(FetchRequest<ManagedObject>(entityName: "Member")).map {
                    $0["ownerName"] as? String
                }
                return (owner?["size"] as? Int64, names)
            }
            await after.close()
            #expect(values.0 == 3)
            #expect(values.1 == ["Ada", "Ada", "Ada"])
        }
    }

    /// A relationship that moves within a hierarchy leads to other objects, without a row that moves.
    @Test(arguments: [true, false]) func countsFollowARelationshipThatMoves(defers: Bool) async throws {
        let owner = PropertyDescription.relationship("owner", to: "Owner", inverse: "pets")
        func model(_ destination: String, _ properties: [String: PropertyDescription]) throws
            -> ManagedObjectModel
        {
            try ManagedObjectModel(entities: [
                entity("Animal", [.attribute("name", .string)] + (properties["Animal"].map { [$0] } ?? [])),
                entity("Dog", properties["Dog"].map { [$0] } ?? [], super: "Animal"),
                entity("Cat", [], super: "Animal"),
                entity(
                    "Owner",
                    [
                        .relationship("pets", to: destination, inverse: "owner", toMany: true),
                        .attribute("size", .integer64, optional: false, derivation: "pets.@count"),
                    ]),
            ])
        }
        let models = try [model("Animal", ["Animal": owner]), model("Dog", ["Dog": owner])]
        try await withTemporaryDatabase(for: models[0]) { database in
            let before = try await PersistentContainer.open(database.url, model: models[0])
            try await before.perform { context in
                let owner = context.insert("Owner")
                for name in ["Dog", "Dog", "Cat", "Animal"] { context.insert(name)["owner"] = owner }
                try context.save()
            }
            await before.close()
            let connection = try Connection(ConnectionConfiguration(database.url))
            defer { connection.close() }
            var options = MigrationOptions()
            options.shouldDeferLightweightMigration = defers
            options.confirmedDrops = ["Animal.owner"]
            func size() throws -> Int64 {
                var sizes: [Int64] = []
                try connection.query("SELECT size FROM owner").forEachRow { sizes.append($0[0].int64) }
                return sizes.first ?? -1
            }
            #expect(try size() == 4)
            _ = try StoreMigration(connection, to: models[1], options: options).apply()
            #expect(try size() == 2)
        }
    }

    /// All objects leave the destination, which has none any more: their links would be lost without a word.
    @Test(arguments: [true, false]) func linksToAnEmptiedHierarchyAreRefused(defers: Bool) async throws {
        let name = PropertyDescription.attribute("name", .string)
        let owner = entity("Owner", [.relationship("animal", to: "Animal")])
        let old = try ManagedObjectModel(entities: [
            entity("Animal", [name], abstract: true), entity("Dog", [], super: "Animal"), owner,
        ])
        let new = try ManagedObjectModel(entities: [
            entity("Animal", [name], abstract: true), entity("Dog", [name]), owner,
        ])
        try await withTemporaryDatabase(for: old) { database in
            let before = try await PersistentContainer.open(database.url, model: old)
            try await before.perform { context in
                context.insert("Owner")["animal"] = context.insert("Dog")
                try context.save()
            }
            await before.close()
            let connection = try Connection(ConnectionConfiguration(database.url))
            defer { connection.close() }
            var options = MigrationOptions()
            options.shouldDeferLightweightMigration = defers
            let error = #expect(throws: MigrationError.self) {
                try StoreMigration(connection, to: new, options: options).apply()
            }
            #expect(error?.code == .unfitData)
            #expect(
                error?.message.contains(
                    "Owner.animal refers to objects that are no longer valid destinations")
                    == true)
            let count = try connection.query("SELECT FROM owner WHERE animal IS NOT NULL").rowCount
            #expect(count == 1)
        }
    }

    /// What some of the steps cannot go without.
    private static let words: [String: Set<String>] = [
        "attribute removed": ["Thing.name"], "derived removed with its source": ["Thing.name"],
        "derived from another source, the former one removed": ["Thing.name"],
        "composite removed": ["Thing.place"],
        "subentity removed": ["Dog"],
        "property moved down to one": ["Animal.age"], "out of the hierarchy": ["Zoo.animals", "Zoo.star"],
        "many-to-many removed": ["Member.owner"], "attribute renamed": [], "into another hierarchy": [],
    ]

    private static func pass(
        _ step: ModelStep, defers: Bool = false, rehearses: Bool = false
    ) async throws {
        var trial = MigrationTrial(
            old: try ManagedObjectModel(entities: step.old()),
            new: try ManagedObjectModel(entities: step.new()))
        trial.options.shouldDeferLightweightMigration = defers
        trial.rehearses = rehearses
        let outcome = try await trial.run()
        #expect(outcome.refusal == nil, "\(String(describing: outcome.refusal))")
        #expect(outcome.objects > 0)
        if let words = words[step.testDescription] { #expect(outcome.words == words) }
        #expect(
            outcome.faults.isEmpty,
            "\(outcome.faults.prefix(12).joined(separator: "\n"))\n\(String(describing: outcome.plan))")
    }
}
