import Foundation
import Howdah
import HowdahModel
import HowdahTesting
import LocalPostgres
import Logging
import Synchronization
import TestSupport
import Testing

/// Units of work append to lists and read them, while sessions are ended; what each isolation forbids does not happen.
@Suite(.timeLimit(.minutes(60))) struct ListHistoryTests {
    /// The units of each isolation; a million of all four at night.
    private static let count = TestTier.choose(quick: 400, all: 5_000, nightly: 250_000)
    private static let keysAtOnce = 10
    /// After so many units other lists are used, so that none grows long.
    private static let unitsOfKeys = 500

    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                "List",
                properties: [
                    .attribute("key", .integer64, optional: false),
                    .attribute("values", .array(of: .integer64), optional: false, default: .array([])),
                ], uniquenessConstraints: [["key"]])
        ])
    }

    /// The attempts of all units, as they end.
    private final class Log: Sendable {
        let attempts = Mutex<[ListHistory.Unit]>([])
        private let last = Mutex<Int64>(0)

        func newValue() -> Int64 {
            last.withLock { last in
                last += 1
                return last
            }
        }

        private let number = Mutex(0)
        private let isOver = Mutex(false)

        /// The number of the next unit.
        func nextNumber() -> Int {
            number.withLock { number in
                number += 1
                return number
            }
        }

        /// The number of units that have begun.
        var begun: Int { number.withLock { $0 } }

        var hasEnded: Bool { isOver.withLock { $0 } }
        func end() { isOver.withLock { $0 = true } }
    }

    /// The operations of the present attempt of a unit.
    private final class Attempt: Sendable {
        private let log: Log
        private let operations = Mutex<[ListHistory.Operation]>([])

        init(_ log: Log) { self.log = log }

        func note(_ more: [ListHistory.Operation]) { operations.withLock { $0 += more } }

        /// Logs what was done, and begins again.
        func end(_ isStored: Bool?) {
            let done = operations.withLock { operations in
                defer { operations = [] }
                return operations
            }
            guard !done.isEmpty else { return }
            log.attempts.withLock { $0.append(ListHistory.Unit(operations: done, isStored: isStored)) }
        }
    }

    @Test(arguments: [nil, .readCommitted, .repeatableRead, .serializable] as [Isolation?])
    func historiesHaveNoForbiddenCycle(isolation: Isolation?) async throws {
        let seed = SeededGenerator.chosenSeed(orElse: 8)
        var options = StoreOptions()
        options.resolvesLostCommits = true
        options.logger.logLevel = .critical
        // A server of its own, which is killed with all sessions from time to time.
        let cluster = try await onThread { try LocalCluster.start(settings: ["synchronous_commit": "on"]) }
        defer { cluster.stop(.immediate) }
        let sql = PlainSQL(url: cluster.url())
        let container = try await PersistentContainer.open(
            cluster.url(), model: Self.model(), options: options)
        try await container.closing { container in
            let keys = (Self.count / Self.unitsOfKeys + 1) * Self.keysAtOnce
            try sql.rows("INSERT INTO list (key) SELECT i FROM generate_series(0, \(keys)) i")
            let log = Log()
            let killer = Task {
                // By units and not by time, so that as many are disturbed on a slow machine.
                var (crashes, next) = (0, 0)
                for round in 1... {
                    while log.begun < next, !log.hasEnded { try? await Task.sleep(for: .milliseconds(5)) }
                    if log.hasEnded { break }
                    next = log.begun + 30
                    if round % 40 == 0 {
                        crashes += Self.killServer(sql) ? 1 : 0
                    } else {
                        _ = try? sql.rows(
                            "SELECT pg_terminate_backend(pid)::text FROM pg_stat_activity WHERE datname = current_database() "
                                + "AND pid <> pg_backend_pid() ORDER BY random() LIMIT 1")
                    }
                }
                return crashes
            }
            await withTaskGroup(of: Void.self) { group in
                for worker in 0..<8 as Range<UInt64> {
                    group.addTask {
                        var generator = SeededGenerator(seed: seed * 100 + worker)
                        while true {
                            let number = log.nextNumber()
                            if number > Self.count { return }
                            if await !Self.unit(number, generator.next(), container, isolation, log) {
                                // Units do not fail one after the other while the server begins again.
                                try? await Self.eventually { _ = try sql.rows("SELECT '1'") }
                            }
                        }
                    }
                }
            }
            log.end()
            let crashes = await killer.value
            // One who reads all lists in the end, when the server is there again, tells their orders.
            try await Self.eventually { _ = try sql.rows("SELECT '1'") }
            let rows = try await container.perform { context in
                try context.fetch("List").map {
                    ListHistory.Operation.read(key: Int($0.number), values: $0.list)
                }
            }
            let units = log.attempts.withLock { $0 } + [ListHistory.Unit(operations: rows, isStored: true)]
            let history = ListHistory(units)
            let stored = units.count { $0.isStored == true }
            let comment: Comment =
                "HOWDAH_SEED=\(seed), \(units.count) attempts, \(stored) stored, \(crashes) crashes"
            #expect(history.violations == [], comment)
            #expect(stored > Self.count / 2 && (crashes > 0 || TestTier.current == .quick), comment)
            switch isolation {
            case nil, .readCommitted: #expect(history.cycles(overwritingReads: 0) == [], comment)
            case .repeatableRead: #expect(history.cycles(overwritingReads: 1) == [], comment)
            default: #expect(history.cycles(overwritingReads: nil) == [], comment)
            }
        }
    }

    private static func eventually(_ body: () throws -> Void) async throws {
        for attempt in 1... {
            do { return try body() } catch {
                if attempt == 1_200 { throw error }
                try await Task.sleep(for: .milliseconds(100))
            }
        }
    }

    /// Kills a session, upon which the server ends all of them and recovers.
    private static func killServer(_ sql: PlainSQL) -> Bool {
        let session =
            "SELECT pid::text FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        guard let row = try? sql.rows(session + " LIMIT 1").first, let pid = row[0].flatMap({ Int32($0) })
        else {
            return false
        }
        return kill(pid, SIGKILL) == 0
    }

    /// Runs a unit; false if it failed.
    private static func unit(
        _ number: Int, _ seed: UInt64, _ container: PersistentContainer, _ isolation: Isolation?, _ log: Log
    ) async -> Bool {
        var generator = SeededGenerator(seed: seed)
        let first = number / unitsOfKeys * keysAtOnce
        let keys = Array(
            (first..<first + keysAtOnce).shuffled(using: &generator).prefix(
                Int.random(in: 1...3, using: &generator)))
        let appends = keys.map { _ in generator.chance(50) }
        let attempt = Attempt(log)
        do {
            try await container.perform(isolation: isolation, retrying: .conflicts(upTo: 3)) { context in
                // What the attempt before did was not stored.
                attempt.end(false)
                for (key, isAppended) in zip(keys, appends) {
                    let list = try #require(
                        try context.fetch("List", matching: .format("key == \(key)")).first)
                    var operations = [ListHistory.Operation.read(key: key, values: list.list)]
                    if isAppended {
                        let value = log.newValue()
                        list["values"] = list.list + [value]
                        operations.append(.append(key: key, value: value))
                    }
                    attempt.note(operations)
                }
                try context.save()
            }
            attempt.end(true)
            return true
        } catch let error as SaveError where error.code == .outcomeUnknown {
            attempt.end(nil)
        } catch {
            attempt.end(false)
        }
        return false
    }

    // MARK: The checker itself

    @Test func seededViolationsAreFound() {
        typealias Unit = ListHistory.Unit
        func read(_ key: Int, _ values: Int64...) -> ListHistory.Operation { .read(key: key, values: values) }
        func append(_ key: Int, _ value: Int64) -> ListHistory.Operation { .append(key: key, value: value) }
        func history(_ units: [ListHistory.Operation]..., taken: Set<Int> = []) -> ListHistory {
            ListHistory(units.enumerated().map { Unit(operations: $1, isStored: !taken.contains($0)) })
        }
        let circular = history([append(0, 1), read(1, 2)], [append(1, 2), read(0, 1)])
        #expect(circular.cycles(overwritingReads: 0).count == 1)
        let lost = history([read(0), append(0, 1)], [read(0), append(0, 2)], [read(0, 1, 2)])
        #expect(lost.cycles(overwritingReads: 0) == [] && lost.cycles(overwritingReads: 1).count == 1)
        let skew = history([read(0), append(1, 1)], [read(1), append(0, 2)], [read(0, 2), read(1, 1)])
        #expect(skew.cycles(overwritingReads: 1) == [] && skew.cycles(overwritingReads: nil).count == 1)
        let torn = history([append(0, 1), append(1, 2)], [read(0), read(1, 2)], [read(0, 1), read(1, 2)])
        #expect(torn.cycles(overwritingReads: 0) == [] && torn.cycles(overwritingReads: 1).count == 1)
        let right = history([append(0, 1)], [read(0, 1), append(0, 2)], [read(0, 1, 2)])
        #expect(right.cycles(overwritingReads: nil) == [] && right.violations == [])
        #expect(history([append(0, 1)], [read(0, 1)], taken: [0]).violations.count == 1)
        #expect(history([append(0, 1), append(0, 2)], [read(0, 1)], [read(0, 1, 2)]).violations.count == 1)
        #expect(history([append(0, 1)], [append(0, 2)], [read(0, 1, 2)], [read(0, 2)]).violations.count == 1)
        #expect(history([read(0, 7)]).violations.count == 1)
        #expect(history([append(0, 1)], [read(0, 1, 1)]).violations.count >= 1)
    }
}

extension ManagedObject {
    fileprivate var list: [Int64] { self["values"] as? [Int64] ?? [] }
    fileprivate var number: Int64 { self["key"] as? Int64 ?? -1 }
}
