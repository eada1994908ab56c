import HowdahMigration
import HowdahModel
import HowdahRuntime
import HowdahStages
import HowdahTesting
import PQClient
import Testing

/// Stores of small models that are migrated equal fresh ones, and hold what they held.
@Suite struct InferredMigrationTests {
    @Test(arguments: ModelStep.attributes) func attributes(_ step: ModelStep) async throws {
        try await Self.pass(step)
    }

    @Test(arguments: ModelStep.relationships) func relationships(_ step: ModelStep) async throws {
        try await Self.pass(step)
    }

    @Test(arguments: ModelStep.entities) func entities(_ step: ModelStep) async throws {
        try await Self.pass(step)
    }

    @Test(arguments: ModelStep.attributes) func deferredAttributes(_ step: ModelStep) async throws {
        try await Self.pass(step, defers: true)
    }

    @Test(arguments: ModelStep.relationships) func deferredRelationships(_ step: ModelStep) async throws {
        try await Self.pass(step, defers: true)
    }

    @Test(arguments: ModelStep.entities) func deferredEntities(_ step: ModelStep) async throws {
        try await Self.pass(step, defers: true)
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
            _ = try MigrationRunner(connection, to: new).apply()
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

    /// What some of the steps cannot go without.
    private static let words: [String: Set<String>] = [
        "attribute removed": ["Thing.name"], "composite removed": ["Thing.place"],
        "subentity removed": ["Dog"],
        "property moved down to one": ["Animal.age"], "out of the hierarchy": ["Zoo.animals", "Zoo.star"],
        "many-to-many removed": ["Member.owner"], "attribute renamed": [], "into another hierarchy": [],
    ]

    private static func pass(_ step: ModelStep, defers: Bool = false) async throws {
        var trial = MigrationTrial(
            old: try ManagedObjectModel(entities: step.old()),
            new: try ManagedObjectModel(entities: step.new()))
        trial.options.shouldDeferLightweightMigration = defers
        let outcome = try await trial.run()
        #expect(outcome.refusal == nil, "\(String(describing: outcome.refusal))")
        #expect(outcome.objects > 0)
        if let words = words[step.testDescription] { #expect(outcome.words == words) }
        #expect(
            outcome.faults.isEmpty,
            "\(outcome.faults.prefix(12).joined(separator: "\n"))\n\(String(describing: outcome.plan))")
    }
}
