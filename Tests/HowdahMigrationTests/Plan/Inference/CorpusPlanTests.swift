import Foundation
import HowdahMigration
import HowdahModel
import ModelCorpus
import TestSupport
import Testing

/// The plans of real models print what they printed when their checksums were recorded.
///
/// A change of the planner that is wanted changes checksums. The failure prints the line to record instead.
@Suite(.enabled(if: Corpus.folder != nil, "\(Corpus.absence)"))
struct CorpusPlanTests {
    private static let steps: [Int] = Array(
        stride(
            from: 0, to: CorpusMigrationTests.allPairs.count,
            by: TestTier.choose(quick: 25, all: 5, nightly: 1)))

    @Test("Each step of the shared histories has a recorded plan") func allAreRecorded() {
        #expect(CorpusPlans.lines.count == CorpusMigrationTests.allPairs.count)
    }

    @Test("A plan prints the same text and JSON as before", arguments: steps)
    func plansArePrintedAsBefore(_ step: Int) throws {
        let pair = CorpusMigrationTests.allPairs[step]
        let (old, new) = (try pair.model(pair.old), try pair.model(pair.new))
        let path = try MigrationPath(from: old, to: new, label: "")
        let confirmed = Set(
            old.entities.flatMap { entity in
                [entity.name] + entity.properties.map { "\(entity.name).\($0.name)" }
            })
        let printed = [false, true].map { shouldDefer in
            do {
                let plan = try path.plan(
                    from: old, to: new, confirmedDrops: confirmed, shouldDefer: shouldDefer)
                return "\(plan)\n\(plan.json)"
            } catch {
                return "\(error)"
            }
        }
        let checksum = SHA256.hexadecimal(of: printed.joined(separator: "\n").utf8).prefix(16)
        let line = "\(checksum) \(pair.new.dropLast(".xcdatamodel".count))"
        #expect(CorpusPlans.lines[step] == line, "\(pair)")
    }
}
