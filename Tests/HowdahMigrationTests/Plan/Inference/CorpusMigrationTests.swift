import Foundation
import HowdahMigration
import HowdahModel
import HowdahModelFile
import ModelCorpus
import TestSupport
import Testing

/// Consecutive versions of real models: at night all of them, else twenty. One after the other: five hundred at once are more
/// connections than the server has.
@Suite(.serialized, .enabled(if: Corpus.folder != nil, "\(Corpus.absence)"))
struct CorpusMigrationTests {
    struct Pair: CustomTestStringConvertible, Sendable {
        let bundle: String
        let old: String
        let new: String
        let isBeyond: Bool
        let reasons: String

        var testDescription: String { "\(bundle): \(old) → \(new)" }

        func model(_ name: String) throws -> ManagedObjectModel {
            let folder = try #require(Corpus.folder).deletingLastPathComponent()
            return try ModelFile(at: folder.appending(path: bundle)).contents(
                version: String(name.dropLast(".xcdatamodel".count))
            ).model
        }
    }

    static let allPairs: [Pair] = {
        guard let file = Corpus.folder?.deletingLastPathComponent().appending(path: "histories.tsv"),
            let text = try? String(contentsOf: file, encoding: .utf8)
        else { return [] }
        var all: [Pair] = []
        var previous: [Substring] = []
        for line in text.split(separator: "\n").dropFirst() {
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
            if previous.first == fields[0] {
                all.append(
                    Pair(
                        bundle: String(fields[0]), old: String(previous[2]), new: String(fields[2]),
                        isBeyond: fields[4].hasPrefix("beyond"), reasons: String(fields[5])))
            }
            previous = fields
        }
        return all
    }()

    static let pairs: [Pair] = {
        // One bundle again, after a failure: HOWDAH_BUNDLE=part of its path.
        if let bundle = ProcessInfo.processInfo.environment["HOWDAH_BUNDLE"] {
            return allPairs.filter { $0.bundle.contains(bundle) }
        }
        if TestTier.isNightly { return allPairs }
        var random = SeededGenerator(seed: 7)
        return Array(
            allPairs.shuffled(using: &random).prefix(TestTier.choose(quick: 2, all: 8, nightly: .max)))
    }()

    @Test(arguments: pairs) func migratedEqualsFresh(_ pair: Pair) async throws {
        let outcome = try await Self.migrate(pair)
        CorpusTally.shared.note(outcome, isBeyond: pair.isBeyond, of: Self.pairs.count)
    }

    /// Steps that documented inference does not cover: types that widen and properties that move are inferred all the same;
    /// a required attribute without a default is refused by its name, and then filled in by a stage.
    @Test(arguments: allPairs.filter(\.isBeyond).prefix(TestTier.choose(quick: 1, all: .max, nightly: .max)))
    func beyondDocumentedInference(_ pair: Pair) async throws {
        let outcome = try await Self.migrate(pair)
        let places = pair.reasons.split(separator: "; ").map { reason in
            reason.split(separator: " ").suffix(2).joined(separator: ".")
        }
        guard let refusal = outcome.refusal else {
            let isInferred = pair.reasons.contains("type changed") || pair.bundle.contains("Moody")
            #expect(isInferred && outcome.settled == 0)
            return
        }
        #expect(refusal.message.contains("is required but has "))
        #expect(
            places.contains { refusal.message.contains($0) } || pair.reasons.contains("optional -> required"))
        #expect(outcome.settled > 0)
    }

    private static func migrate(_ pair: Pair) async throws -> MigrationTrial.Outcome {
        var trial = MigrationTrial(old: try pair.model(pair.old), new: try pair.model(pair.new), count: 3)
        trial.settles = true
        let outcome = try await trial.run()
        #expect(outcome.faults.isEmpty, "\(outcome.faults.prefix(12).joined(separator: "\n"))")
        if let refusal = outcome.refusal {
            // Rows that no step could give a value are refused, by name and example, and the store stays.
            #expect(refusal.code == .unfitData, "\(refusal)")
            #expect(refusal.message.contains(/object(s)? \([^ ]+ [0-9]+/), "\(refusal)")
            #expect(outcome.settled > 0)
        }
        return outcome
    }

    /// The same with most of the work left for later; what rows do not allow leaves a store of the new model.
    @Test(arguments: pairs) func deferredEqualsFresh(_ pair: Pair) async throws {
        var trial = MigrationTrial(old: try pair.model(pair.old), new: try pair.model(pair.new), count: 3)
        trial.options.shouldDeferLightweightMigration = true
        let outcome = try await trial.run()
        #expect(outcome.faults.isEmpty, "\(outcome.faults.prefix(12).joined(separator: "\n"))")
        if let refusal = outcome.refusal {
            #expect([.unfitData, .unfinished].contains(refusal.code), "\(refusal)")
            #expect(pair.isBeyond || refusal.message.contains("is required"), "\(refusal)")
        }
    }

    /// The first and the last version of the two longest histories, in one inference.
    @Test(
        .enabled(if: TestTier.isNightly, "long; run at night"),
        arguments: ["zmessaging", "WordPress"])
    func firstToLast(_ project: String) async throws {
        let pairs = Self.allPairs.filter { $0.bundle.hasSuffix("/\(project).xcdatamodeld") }
        let (first, last) = (try #require(pairs.first), try #require(pairs.last))
        var trial = MigrationTrial(old: try first.model(first.old), new: try last.model(last.new), count: 3)
        trial.settles = true
        let outcome = try await trial.run()
        #expect(outcome.faults.isEmpty, "\(outcome.faults.prefix(12).joined(separator: "\n"))")
        if let refusal = outcome.refusal { #expect(refusal.code == .unfitData, "\(refusal)") }
        print("corpus: \(project) in one inference: \(outcome.survival)")
    }

    /// The same, through all versions: one at a time, each compared with what the one before held, and then all in one
    /// run, which ends with the same.
    @Test(
        .enabled(if: TestTier.isNightly, "long; run at night"),
        arguments: ["zmessaging", "WordPress"])
    func stageByStage(_ project: String) async throws {
        let pairs = Self.allPairs.filter { $0.bundle.hasSuffix("/\(project).xcdatamodeld") }
        let first = try #require(pairs.first)
        let models = try [first.model(first.old)] + pairs.map { try $0.model($0.new) }
        let trial = StagedTrial(models: models, count: 3)
        let outcome = try await trial.run()
        #expect(outcome.faults.isEmpty, "\(outcome.faults.prefix(12).joined(separator: "\n"))")
        print("corpus: \(project) in \(models.count - 1) stages: \(outcome.survival)")
    }
}
