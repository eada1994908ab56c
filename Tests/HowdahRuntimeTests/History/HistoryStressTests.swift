import Foundation
import HowdahModel
import Synchronization
import TestSupport
import Testing

@testable import HowdahRuntime

/// Many programs, consumers that fail, purges, and a server that crashes: every committed change is delivered, none
/// twice after its acknowledgement, none that was rolled back, and those of one object in their order.
///
/// `HOWDAH_HISTORY_CHANGES` sets another number of changes, for example 5,000,000 by hand, and
/// `HOWDAH_HISTORY_ROUND` the number of changes of each round.
@Suite(.serialized, .timeLimit(.minutes(600))) struct HistoryStressTests {
    private static func setting(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }

    private static var count: Int {
        setting("HOWDAH_HISTORY_CHANGES")
            ?? TestTier.choose(quick: 4_000, all: 20_000, nightly: 1_000_000)
    }
    private static var seed: UInt64 { UInt64(setting("HOWDAH_SEED") ?? 1) }

    private static let names = ["one", "two", "slow"]

    /// Makes the changes of a round, reads and compares them. Returns the number that the naive readers missed.
    private static func run(_ round: HistoryStress.Round, of stress: HistoryStress) async throws -> [Int] {
        stress.begin()
        async let followed = stress.follow(round)
        async let byNumber = round.isHostile ? 0 : stress.poll(by: "number", round)
        async let byTransaction = round.isHostile ? 0 : stress.poll(by: "txid", round)
        let consumers = Task {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for name in names {
                    group.addTask { try await stress.consume(name, round, isSlow: name == "slow") }
                }
                try await group.waitForAll()
            }
        }
        defer { consumers.cancel() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await stress.write(round) }
            group.addTask { try await stress.disturb() }
            if round.isHostile { group.addTask { try await stress.purge() } }
            try await group.waitForAll()
        }
        let session = stress.observer()
        try await stress.waitForConsumers(names, on: session)
        consumers.cancel()
        try await consumers.value
        #expect(try await followed > 0, "round \(round.number)")
        try stress.beginComparison(on: session)
        for name in names {
            let differences = try stress.differences(of: name, on: session)
            #expect(differences == [], "\(name), round \(round.number)")
        }
        #expect(try stress.gaps(of: "follower", on: session) == [], "round \(round.number)")
        try stress.endComparison(on: session)
        return try await [byNumber, byTransaction]
    }

    @Test func everyCommittedChangeIsDeliveredOnceAndInOrder() async throws {
        let start = ContinuousClock.now
        let count = Self.count
        let size = min(Self.setting("HOWDAH_HISTORY_ROUND") ?? 100_000, (count + 1) / 2)
        try await HistoryStress.run(seed: Self.seed) { stress in
            for name in Self.names { _ = try await stress.readers.historyConsumer(name) }
            let counts = stress.counts
            var missed = [0, 0]
            var number = 0
            // Whether the naive readers miss something is chance: the fewer changes, the more rounds it takes.
            while HistoryStress.value(counts.changes) < count || number < 2
                || number < 60 && !missed.allSatisfy({ $0 > 0 })
            {
                let round = HistoryStress.Round(
                    number: number, count: size, isHostile: !number.isMultiple(of: 2))
                missed = zip(missed, try await Self.run(round, of: stress)).map { $0 + $1 }
                number += 1
                print("round \(number): \(stress.summary), \(ContinuousClock.now - start)")
            }
            #expect(HistoryStress.value(counts.changes) >= count)
            #expect(HistoryStress.value(counts.restarts) > 0)
            #expect(HistoryStress.value(counts.killedPrograms) > 0)
            #expect(HistoryStress.value(counts.endedSessions) > 0)
            #expect(stress.expired > 0, "no token expired")
            #expect(HistoryStress.value(counts.purges) > 0, "nothing was purged")
            // Control: programs that read by ascending numbers would have lost changes.
            #expect(missed.allSatisfy { $0 > 0 }, "by number and transaction, \(missed) were missed")
            print("by number and transaction, \(missed) transactions were missed")
        }
    }
}
