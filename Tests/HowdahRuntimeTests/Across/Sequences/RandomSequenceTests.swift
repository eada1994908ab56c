import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

/// Random sequences of operations over a model with every kind of relationship.
///
/// After each step both ends of all relationships agree, each row is one object, an undo gives what was before and a redo
/// what was after; after each save the rows are what memory holds. A walk is a number of sequences, each with a context of
/// its own over what the ones before it stored. `HOWDAH_SEED=7` runs walk 7 alone, `HOWDAH_SEED=7-90` those from 7 to 90.
@Suite struct RandomSequenceTests {
    private static let sequencesPerWalk = 20
    private static let walkers = 2

    @Test func invariantsHoldAfterEachStep() async throws {
        let environment = ProcessInfo.processInfo.environment
        let wanted = environment["HOWDAH_SEED"]?.split(separator: "-").compactMap { UInt64($0) }
        let most: UInt64 = TestTier.choose(quick: 60, all: 80, nightly: 5_000)
        let seeds = Array((wanted?.first ?? 1)...(wanted?.last ?? most))
        var counts: [String: Int] = [:]
        try await withThrowingTaskGroup(of: [String: Int].self) { group in
            for walker in 0..<Self.walkers {
                let share = seeds.filter { Int($0) % Self.walkers == walker }
                if !share.isEmpty { group.addTask { try await Self.walk(share) } }
            }
            for try await part in group { counts.merge(part, uniquingKeysWith: +) }
        }
        guard wanted == nil else { return }
        #expect(counts["sequence", default: 0] == seeds.count * Self.sequencesPerWalk, "\(counts)")
        for what in [
            "insert", "delete", "relate", "unrelate", "undo", "redo", "save", "rollback", "fetch", "refresh",
            "refresh all", "refresh, keeping changes", "refresh, dropping changes", "elsewhere", "conflict",
            "refused, validation", "refused, referentialIntegrity", "undo of everything",
            "elsewhere, with links to go",
        ] {
            #expect(counts[what, default: 0] >= seeds.count / 30, "too few: \(what) \(counts[what] ?? 0)")
        }
    }

    /// The walks of these seeds in a database of their own; how often what was done.
    private static func walk(_ seeds: [UInt64]) async throws -> [String: Int] {
        try await withTestStore(WildKind.model()) { container in
            container.statementLog.stop()
            let store = try await WildStore(container)
            var counts: [String: Int] = [:]
            var failures = 0
            for seed in seeds {
                let (walk, failure) = try await container.perform { context in
                    try store.clear(context)
                    return sequences(seed, container, store)
                }
                counts.merge(walk.counts, uniquingKeysWith: +)
                if let failure {
                    Issue.record(
                        "HOWDAH_SEED=\(seed): \(failure)\n\(walk.trace.joined(separator: "\n"))")
                    failures += 1
                    if failures > 2 { break }
                }
            }
            return counts
        }
    }

    private static func sequences(
        _ seed: UInt64, _ container: PersistentContainer, _ store: WildStore
    ) -> (WildWalk, String?) {
        var walk = WildWalk(seed: seed)
        for _ in 0..<sequencesPerWalk {
            do {
                let (next, failure) = try container.newBackgroundContext().performAndWait { [walk] context in
                    var sequence = WildSequence(walk, in: context, of: container, store: store)
                    do {
                        try sequence.run()
                        return (sequence.walk, nil as String?)
                    } catch {
                        context.clearFailure()
                        return (sequence.walk, String(describing: error))
                    }
                }
                walk = next
                if failure != nil { return (walk, failure) }
                walk.count("sequence")
            } catch {
                return (walk, String(describing: error))
            }
        }
        return (walk, nil)
    }
}
