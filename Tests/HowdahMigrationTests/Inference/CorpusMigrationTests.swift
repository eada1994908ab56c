import Foundation
import HowdahMigration
import HowdahModel
import HowdahModelFile
import ModelCorpus
import Testing

/// Consecutive versions of real models: at night all of them, else twenty.
@Suite(.enabled(if: Corpus.folder != nil, "\(Corpus.absence)"))
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

    static let pairs: [Pair] = {
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
        if Corpus.isNightly { return all }
        var random = SeededGenerator(seed: 7)
        return Array(all.shuffled(using: &random).prefix(20))
    }()

    @Test(arguments: pairs) func migratedEqualsFresh(_ pair: Pair) async throws {
        var trial = MigrationTrial(old: try pair.model(pair.old), new: try pair.model(pair.new), count: 3)
        let difference = ModelDifference(from: trial.old, to: trial.new)
        trial.options.confirmedDrops = Set(difference.refusals.map(\.confirmation))
        let outcome = try await trial.run()
        #expect(outcome.faults.isEmpty, "\(outcome.faults.prefix(12).joined(separator: "\n"))")
        guard let refusal = outcome.refusal else {
            #expect(!pair.reasons.contains("added (required, no default)"))
            return
        }
        #expect(pair.reasons.contains("required") || !pair.isBeyond, "\(refusal)")
        // Rows that no step could give a value are refused, by name, and the store stays.
        #expect(refusal.code == .unfitData, "\(refusal)")
        #expect(pair.isBeyond || refusal.message.contains("is required"), "\(refusal)")
    }

    /// The same with most of the work left for later; what rows do not allow leaves a store of the new model.
    @Test(arguments: pairs) func deferredEqualsFresh(_ pair: Pair) async throws {
        var trial = MigrationTrial(old: try pair.model(pair.old), new: try pair.model(pair.new), count: 3)
        let difference = ModelDifference(from: trial.old, to: trial.new)
        trial.options.confirmedDrops = Set(difference.refusals.map(\.confirmation))
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
        .enabled(if: Corpus.isNightly, "long; run at night"),
        arguments: ["wire-ios-data-model", "WordPress-iOS"])
    func firstToLast(_ project: String) async throws {
        let pairs = Self.pairs.filter { $0.bundle.contains(project) }
        let (first, last) = (try #require(pairs.first), try #require(pairs.last))
        var trial = MigrationTrial(old: try first.model(first.old), new: try last.model(last.new), count: 3)
        let difference = ModelDifference(from: trial.old, to: trial.new)
        trial.options.confirmedDrops = Set(difference.refusals.map(\.confirmation))
        let outcome = try await trial.run()
        #expect(outcome.faults.isEmpty, "\(outcome.faults.prefix(12).joined(separator: "\n"))")
        if let refusal = outcome.refusal { #expect(refusal.code == .unfitData, "\(refusal)") }
    }
}
