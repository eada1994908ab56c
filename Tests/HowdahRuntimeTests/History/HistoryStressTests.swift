import Foundation
import HowdahModel
import HowdahSchema
import PQClient
import SeededRandom
import TestSupport
import Testing

@testable import HowdahRuntime

/// Many programs, and consumers that fail: every committed change is delivered, none twice after its
/// acknowledgement, none that was rolled back, and those of one object in their order.
///
/// `HOWDAH_HISTORY_CHANGES` sets another number of changes, for example 5,000,000 by hand.
@Suite(.serialized, .timeLimit(.minutes(600))) struct HistoryStressTests {
    private static var count: Int {
        let wanted = ProcessInfo.processInfo.environment["HOWDAH_HISTORY_CHANGES"].flatMap { Int($0) }
        return wanted ?? TestTier.choose(quick: 4_000, all: 20_000, nightly: 1_000_000)
    }
    private static var seed: UInt64 {
        ProcessInfo.processInfo.environment["HOWDAH_SEED"].flatMap { UInt64($0) } ?? 1
    }

    private struct Crash: Error {}

    /// Reads as a consumer whose effects and acknowledgements are one transaction, until the task is cancelled.
    private static func consume(
        _ name: String, in stress: HistoryStress, seed: UInt64, isSlow: Bool = false
    ) async throws {
        var random = SplitMix64(seed: seed, name)
        while true {
            do {
                let consumer = try await stress.readers.historyConsumer(name)
                for try await batch in consumer.changes() {
                    let (fails, dies) = (random.chance(1, in: 12), random.chance(1, in: 12))
                    if fails { throw Crash() }
                    if isSlow { try await Task.sleep(for: .milliseconds(random.below(60))) }
                    try await stress.readers.perform(isolation: .readCommitted) { context in
                        try context.withConnection { connection in
                            try HistoryStress.note(batch.transactions, of: name, on: connection)
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
        }
    }

    /// Reads without a registration; after an expired token, as another reader. Returns the number of changes and of
    /// expired tokens.
    private static func follow(_ stress: HistoryStress, sleeping: Int) async throws -> (
        count: Int, expired: Int
    ) {
        var random = SplitMix64(seed: seed, "follower")
        let session = try stress.session()
        defer { session.close() }
        var (count, failures) = (0, 0)
        var token: HistoryToken?
        while true {
            let isLast = stress.isOver
            var result: HistoryResult?
            do {
                let start: HistoryToken
                if let token { start = token } else { start = try await stress.readers.currentHistoryToken() }
                token = start
                result = try await stress.readers.perform {
                    try $0.execute(HistoryRequest.fetch(after: start, limit: 50))
                }
                failures = 0
            } catch let error as HistoryError where error.code == .tokenExpired {
                stress.noteExpiry()
                token = nil
            } catch {
                // A connection was ended.
                failures += 1
                if failures == 500 { throw error }
            }
            if let result {
                try HistoryStress.note(result.transactions, of: "follower \(stress.expired)", on: session)
                count += result.transactions.reduce(0) { $0 + $1.changes.count }
                token = result.token ?? token
                if isLast, result.transactions.isEmpty { return (count, stress.expired) }
            }
            if sleeping > 0 { try await Task.sleep(for: .milliseconds(random.below(sleeping))) }
        }
    }

    private static func run(isPurging: Bool) async throws {
        var options = StoreOptions()
        options.changePolling = .milliseconds(10)
        options.maximumConnections = 6
        let model = try RandomWorkers.model
        try await withHistory(model, options: options) { container, sql in
            let stress = HistoryStress(url: sql.url, readers: container, count: count, seed: seed)
            try await RandomWorkers.fill(container)
            // Programs that wait for each other take turns soon.
            try sql.script(
                """
                DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET deadlock_timeout = 20', current_database()); END $$
                """)
            try stress.prepare()
            let names = ["one", "two", "slow"]
            for name in names { _ = try await container.historyConsumer(name) }
            async let followed = follow(stress, sleeping: isPurging ? 700 : 20)
            async let byNumber = isPurging ? 1 : stress.poll(by: "number")
            async let byTransaction = isPurging ? 1 : stress.poll(by: "txid")
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
                group.addTask { try await stress.write(untilExpired: isPurging) }
                group.addTask { try await stress.disturb() }
                if isPurging { group.addTask { try await stress.purge() } }
                try await group.waitForAll()
            }
            let session = try stress.session()
            defer { session.close() }
            let total = try session.query("SELECT count(*) FROM truth").first { $0[0].int64 } ?? 0
            let last = try session.query("SELECT max(number) FROM transactions").first { $0[0].int64 } ?? 0
            let end = ContinuousClock.now + .seconds(900)
            for name in names {
                while .now < end {
                    let seen = try session.query(
                        "SELECT coalesce(max(number), 0) FROM effect WHERE consumer = '\(name)'")
                    if seen.first({ $0[0].int64 }) == last { break }
                    try await Task.sleep(for: .milliseconds(50))
                }
            }
            consumers.cancel()
            try await consumers.value
            let (count, expired) = try await followed
            #expect(total >= Self.count && count > 0)
            for name in names { #expect(try stress.differences(of: name, on: session) == [], "\(name)") }
            #expect(try stress.gaps(of: "follower", on: session) == [])
            if isPurging {
                #expect(expired > 0, "no token expired")
                let kept = try session.query("SELECT purged_txid > '0' FROM \(HistoryStore.tables.state)")
                #expect(kept.first { $0[0].bool } == true, "nothing was purged")
            }
            // Control: programs that read by ascending numbers would have lost changes.
            let missed = try await [byNumber, byTransaction]
            #expect(missed.allSatisfy { $0 > 0 }, "by number and transaction, \(missed) were missed")
        }
    }

    @Test func consumersGetEveryCommittedChangeOnceAndInOrder() async throws {
        try await Self.run(isPurging: false)
    }

    @Test func purgesUnderLoadLoseNothing() async throws {
        try await Self.run(isPurging: true)
    }
}
