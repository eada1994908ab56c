import SeededRandom
import Testing

@testable import PQClient

/// The tally counts references to tables by hand. After each step it is compared with dictionaries.
@Suite struct TallyTests {
    /// A mistake that a tally could make, planted to see that the comparison finds it.
    enum Mistake: CaseIterable { case lostEntry, entryTwice, otherTable, retainedTwice, releasedEarly }

    /// Sums what it receives, by the table's name and the operation.
    private final class Receiver: RoundTripObserver {
        var sums = Sums()

        func need(after nanoseconds: Int64) -> ObserverNeed { .numbers }

        func receive(_ tally: borrowing RoundTripTally) {
            for entry in tally.entries {
                sums.add(entry.key.name, entry.key.table?.name, entry.rows, entry.nanoseconds)
            }
        }

        func observe(_ statement: StatementEvent) {}

        func observe(_ trip: RoundTrip) {}
    }

    /// Tables that are compared by their references, of which each has a spare one.
    private struct Tables {
        private let tables: [StatementTable]
        private let baseline: [UInt]

        init(_ count: Int) {
            tables = (0..<count).map { StatementTable("\"public\".\"t\($0)\"") }
            for table in tables { _ = Unmanaged.passUnretained(table).retain() }
            baseline = tables.map { _getRetainCount($0) }
        }

        subscript(_ index: Int) -> StatementTable { tables[index] }

        /// The references that were added to each table.
        var references: [Int] {
            zip(tables, baseline).map { Int(bitPattern: _getRetainCount($0)) - Int(bitPattern: $1) }
        }

        func retain(_ index: Int) { _ = Unmanaged.passUnretained(tables[index]).retain() }

        func release(_ index: Int) { Unmanaged.passUnretained(tables[index]).release() }

        func end() { for index in tables.indices { release(index) } }
    }

    /// The sums by names, of which a dictionary is the plain model of a tally.
    private struct Sums: Equatable {
        var rows: [String: Int] = [:]
        var nanoseconds: [String: Int64] = [:]

        mutating func add(_ operation: String?, _ table: String?, _ count: Int, _ time: Int64) {
            let name = "\(operation ?? "-") \(table ?? "-")"
            rows[name, default: 0] += count
            nanoseconds[name, default: 0] += time
        }
    }

    private static let operations: [StatementSubject.Operation] = [.select, .insert, .update]

    /// Runs random steps, and returns the first difference between the tally and the model.
    private static func difference(_ seed: UInt64, steps: Int, planting mistake: Mistake? = nil) -> String? {
        var random = SeededGenerator(seed: seed)
        let count = Int.random(in: 1...40, using: &random)
        let tables = Tables(count)
        defer { tables.end() }
        let receiver = Receiver()
        var sums = Sums()
        var planted: Int?
        var found: String?
        do {
            var tally = RoundTripTally()
            var pending: Set<Int> = []
            for step in 0..<steps {
                // Few tables in turn, or all of them.
                let index = Int.random(in: 0..<(random.chance(30) ? count : min(count, 3)), using: &random)
                let hasTable = !random.chance(10)
                let operation = random.pick(operations)
                let (rows, time) = (
                    Int.random(in: 0..<9, using: &random), Int64.random(in: 1..<99, using: &random)
                )
                let isPlanted = mistake != nil && step >= steps / 2 && planted == nil && hasTable
                var additions = 1
                if isPlanted {
                    planted = index
                    switch mistake {
                    case .lostEntry: additions = 0
                    case .entryTwice: additions = 2
                    case .retainedTwice: tables.retain(index)
                    default: break
                    }
                }
                sums.add(operation.name, hasTable ? tables[index].name : nil, rows + 1, time)
                var isDue = random.chance(2)
                for _ in 0..<additions {
                    let other = isPlanted && mistake == .otherTable ? StatementTable("\"other\"") : nil
                    let key = RoundTripKey(operation, other ?? (hasTable ? tables[index] : nil))
                    if tally.add(key, time, rows: rows + 1, at: .now) { isDue = true }
                }
                if hasTable { pending.insert(index) }
                // The spare reference is released, so the table lives until it is given back.
                if isPlanted, mistake == .releasedEarly { tables.release(index) }
                if isDue {
                    tally.pass(to: receiver)
                    pending = []
                    if sums != receiver.sums { found = found ?? "step \(step): sums" }
                }
                let held = tables.references
                if held.contains(where: { $0 < 0 }) || pending.contains(where: { held[$0] < 1 }) {
                    found = found ?? "step \(step): a table is not retained"
                }
                if pending.isEmpty, held.reduce(0, +) > 8 { found = found ?? "step \(step): more than 8" }
            }
            tally.pass(to: receiver)
        }
        if sums != receiver.sums { found = found ?? "sums at the end" }
        let left = tables.references
        if left.contains(where: { $0 != 0 }) { found = found ?? "references at the end: \(left)" }
        if mistake == .retainedTwice, let planted { tables.release(planted) }
        if mistake == .releasedEarly, let planted { tables.retain(planted) }
        return found
    }

    @Test func tablesAreRetainedAsLongAsTheirNumbers() {
        for seed in 0..<40 as Range<UInt64> {
            #expect(Self.difference(seed, steps: 3_000) == nil, "seed \(seed)")
        }
    }

    /// Mistakes are found, so the comparison is not empty.
    @Test(arguments: Mistake.allCases) func mistakesAreFound(_ mistake: Mistake) {
        for seed in 0..<5 as Range<UInt64> {
            #expect(Self.difference(seed, steps: 1_000, planting: mistake) != nil, "seed \(seed)")
        }
    }

    /// Tables that nothing else refers to live until the tally has passed their numbers on, and no longer than it.
    @Test func theTallyIsTheLastOwnerOfATable() {
        final class Weak {
            weak var table: StatementTable?
            init(_ table: StatementTable) { self.table = table }
        }
        let receiver = Receiver()
        var tables: [Weak] = []
        do {
            var tally = RoundTripTally()
            for number in 0..<1_000 {
                let table = StatementTable("\"public\".\"t\(number)\"")
                tables.append(Weak(table))
                if tally.add(RoundTripKey(.select, table), 1, rows: 1, at: .now) { tally.pass(to: receiver) }
            }
            #expect(tables.count { $0.table != nil } <= 128 + 8)
            tally.pass(to: receiver)
            #expect(tables.count { $0.table != nil } <= 8)
            // These end with the tally, without being passed on.
            for number in 0..<50 {
                let table = StatementTable("\"public\".\"u\(number)\"")
                tables.append(Weak(table))
                _ = tally.add(RoundTripKey(.select, table), 1, rows: 1, at: .now)
            }
            #expect(tables.count { $0.table != nil } >= 50)
        }
        #expect(tables.count { $0.table != nil } == 0)
        #expect(receiver.sums.rows.count == 1_000)
        #expect(receiver.sums.rows.values.allSatisfy { $0 == 1 })
    }
}
