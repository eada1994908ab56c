import HowdahMigration
import HowdahModel
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

    private static func pass(_ step: ModelStep) async throws {
        var trial = MigrationTrial(
            old: try ManagedObjectModel(entities: step.old()), new: try ManagedObjectModel(entities: step.new()))
        let difference = ModelDifference(from: trial.old, to: trial.new)
        trial.options.confirmedDrops = Set(difference.refusals.map(\.confirmation))
        let outcome = try await trial.run()
        #expect(outcome.refusal == nil, "\(String(describing: outcome.refusal))")
        #expect(outcome.objects > 0)
        #expect(outcome.faults.isEmpty, "\(outcome.faults.prefix(12).joined(separator: "\n"))\n\(String(describing: outcome.plan))")
    }
}
