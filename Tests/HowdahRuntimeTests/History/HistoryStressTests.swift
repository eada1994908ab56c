import Foundation
import HowdahModel
import HowdahSchema
import PQClient
import SeededRandom
import TestSupport
import Testing

@testable import HowdahRuntime

/// Many writers, and consumers that fail: every committed change is delivered, none twice after its
/// acknowledgement, none that was rolled back, and those of one object in their order.
@Suite(.serialized) struct HistoryStressTests {
    private static let count = TestTier.choose(quick: 4_000, all: 20_000, nightly: 1_000_000)
    private static var seed: UInt64 {
        ProcessInfo.processInfo.environment["HOWDAH_SEED"].flatMap { UInt64($0) } ?? 1
    }

    private struct Crash: Error {}

    /// Reads as a consumer whose effects and acknowledgements are one transaction, until everything has
    /// arrived.
    private static func consume(
        _ name: String, in stress: HistoryStress, seed: UInt64, isSlow: Bool = false
    ) async throws {
        var random = SplitMix64(seed: seed, name)
        var last: Int64 = -1
        while true {
            do {
                let consumer = try await stress.store.container.historyConsumer(name)
                for try await batch in consumer.changes() {
                    let changes = HistoryStress.changes(batch.transactions)
                    let (fails, dies) = (random.chance(1, in: 12), random.chance(1, in: 12))
                    if fails { throw Crash() }
                    if isSlow { try await Task.sleep(for: .milliseconds(random.below(60))) }
                    try await stress.store.container.perform(isolation: .readCommitted) { context in
                        try context.withConnection { connection in
                            var parameters = Parameters()
                            parameters.append(changes.map(\.id))
                            parameters.append(changes.map(\.version))
                            try parameters.append(name)
                            _ = try connection.query(
                                """
                                INSERT INTO effect (consumer, id, version)
                                SELECT $3, p.id, p.version FROM unnest($1, $2) WITH ORDINALITY p(id, version, n) ORDER BY n
                                """, parameters)
                        }
                        try context.acknowledge(batch)
                        if dies { throw Crash() }
                    }
                }
                return
            } catch is CancellationError {
                return
            } catch {
                // Connections are ended, and outcomes of COMMIT lost: the store knows where to go on.
                if let error = error as? HistoryError, error.code == .tokenExpired { throw error }
            }
            last += 1
        }
    }

    /// Reads without a registration; returns the runs of versions of each person, which have no gaps.
    private static func follow(_ stress: HistoryStress, sleeping: Int) async throws -> (
        gaps: Int, expired: Int, count: Int
    ) {
        var random = SplitMix64(seed: seed, "follower")
        var token = try await stress.store.container.currentHistoryToken()
        var (known, gaps, expired, count): ([Int64: Int64], Int, Int, Int) = ([:], 0, 0, 0)
        while true {
            let isLast = stress.isOver
            do {
                let start = token
                let result = try await stress.store.container.perform {
                    try $0.execute(HistoryRequest.fetch(after: start, limit: 50))
                }
                for change in HistoryStress.changes(result.transactions) {
                    count += 1
                    if let last = known[change.id], change.version != last + 1 { gaps += 1 }
                    known[change.id] = change.version
                }
                token = result.token ?? token
                if isLast, result.transactions.isEmpty { return (gaps, expired, count) }
            } catch let error as HistoryError where error.code == .tokenExpired {
                expired += 1
                known = [:]
                token = try await stress.store.container.currentHistoryToken()
            } catch {
                // A connection was ended.
            }
            if sleeping > 0 { try await Task.sleep(for: .milliseconds(random.below(sleeping))) }
        }
    }

    private static func run(isPurging: Bool) async throws {
        var options = StoreOptions()
        options.changePolling = .milliseconds(10)
        try await HistoryStore.with(connections: 8, options: options) { store in
            let stress = HistoryStress(store: store, count: count, seed: seed)
            try stress.prepare()
            let names = ["one", "two", "slow"]
            for name in names { _ = try await store.container.historyConsumer(name) }
            async let followed = follow(stress, sleeping: isPurging ? 700 : 20)
            let consumers = Task {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for name in names {
                        group.addTask {
                            try await consume(name, in: stress, seed: seed, isSlow: name == "slow")
                        }
                    }
                    try await group.waitForAll()
                }
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await stress.write(on: 10) }
                group.addTask { try await stress.disturb() }
                if isPurging { group.addTask { try await stress.purge() } }
                try await group.waitForAll()
            }
            let truth = try stress.truth()
            let total = truth.values.reduce(0) { $0 + $1.count }
            let session = try store.company.session()
            defer { session.close() }
            let end = ContinuousClock.now + .seconds(120)
            while .now < end {
                let counts = try session.query("SELECT count(*) FROM effect").first { $0[0].int64 } ?? 0
                if counts >= Int64(total * names.count) { break }
                try await Task.sleep(for: .milliseconds(50))
            }
            consumers.cancel()
            try await consumers.value
            #expect(total >= count && stress.rolledBack > 10)
            for name in names {
                let effects = try stress.effects(of: name)
                #expect(
                    effects == truth, "\(name): \(effects.values.reduce(0) { $0 + $1.count }) of \(total)")
            }
            let result = try await followed
            #expect(result.gaps == 0 && result.count > 0)
            if isPurging {
                #expect(result.expired > 0, "no token expired")
                let kept = try session.query("SELECT purged_txid > '0' FROM \(HistoryStore.tables.state)")
                #expect(kept.first { $0[0].bool } == true, "nothing was purged")
            }
        }
    }

    @Test func consumersGetEveryCommittedChangeOnceAndInOrder() async throws {
        try await Self.run(isPurging: false)
    }

    @Test func purgesUnderLoadLoseNothing() async throws {
        try await Self.run(isPurging: true)
    }
}
