import HowdahMigration
import HowdahModel
import ModelCorpus
import TestSupport
import Testing

/// Programs of both versions write all the time: twelve steps, at night all of them, in a quick run a few.
@Suite(.serialized) struct WriterTests {
    private static let few: Set<String> = [
        "attribute added", "default added", "attribute removed", "attribute renamed", "elements",
        "integer16 to integer64", "subentity removed", "property moved down to one", "into another hierarchy",
        "many-to-many removed", "to-one to to-many", "relationships renamed", "entity removed", "required",
    ]

    static let steps: [ModelStep] = {
        let all = (ModelStep.attributes + ModelStep.entities + ModelStep.relationships).filter(\.isVisible)
        if TestTier.isNightly { return all }
        let known = all.filter { few.contains($0.testDescription) }
        // From the whole list, so that each file has one.
        if TestTier.current == .quick {
            return known.enumerated().filter { $0.offset % 4 == 0 }.map(\.element)
        }
        // Enough of each file, whatever the steps are called.
        return known + all.filter { !few.contains($0.testDescription) }.prefix(max(0, 12 - known.count))
    }()

    @Test(.timeLimit(.minutes(60)), arguments: steps, [true, false])
    func nothingIsRefusedOrLost(_ step: ModelStep, defers: Bool) async throws {
        let faults = try await WriterTrial(
            old: ManagedObjectModel(entities: step.old()), new: ManagedObjectModel(entities: step.new()),
            defers: defers
        ).faults()
        #expect(faults == [])
    }

    /// Consecutive versions of real models; rows that no step could give a value are refused, as without writers.
    @Test(
        .timeLimit(.minutes(60)), .enabled(if: TestTier.isNightly, "long; run at night"),
        .enabled(if: Corpus.folder != nil, "\(Corpus.absence)"), arguments: CorpusMigrationTests.allPairs,
        [true, false])
    func realModels(_ pair: CorpusMigrationTests.Pair, defers: Bool) async throws {
        let trial = WriterTrial(
            old: try pair.model(pair.old), new: try pair.model(pair.new), defers: defers, count: 3,
            wantsWrites: false)
        do {
            let faults = try await trial.faults()
            #expect(faults == [])
        } catch let error as MigrationError {
            #expect([.unfitData, .unfinished].contains(error.code), "\(error)")
        }
    }
}
