import SeededRandom
import Testing

@testable import PQClient

/// The tally counts references to tables by hand. After each step it is compared with dictionaries.
@Suite struct TallyTests {
    /// A mistake that a tally could make, planted to see that the comparison finds it.
    enum Mistake: CaseIterable { case lostEntry, entryTwice, otherTable, retainedTwice, releasedEarly }

    /// Sums what it receives, by the table's name and the operation.
    private final class Receiver: RoundTripObserver {
        var rows: [String: Int] = [:]
        var nanoseconds: [String: Int64] = [:]

        func need(after nanoseconds: Int64) -> ObserverNeed { .numbers }

        func receive(_ tally: borrowing RoundTripTally) {
            for entry in tally.entries {
                let name = TallyTests.name(entry.key.name, entry.key.table?.name)
                rows[name, default: 0] += entry.rows
                nanoseconds[name, default: 0] += entry.nanoseconds
            }
        }

        func observe(_ statement: StatementEvent) {}

        func observe(_ trip: RoundTrip) {}
    }

    private static func name(_ operation: String?, _ table: String?) -> String {
        "\(operation ?? "-") \(table ?? "-")"
    }

    /// Runs random steps, and returns the first difference between the tally and the dictionaries.
    private static func difference(_ seed: UInt64, steps: Int, planting mistake: Mistake? = nil) -> String? {
        var random = SeededGenerator(seed: seed)
        let tables = (0..<Int.random(in: 1...40, using: &random)).map {
            StatementTable("\"public\".\"t\($0)\"")
        }
        let baseline = tables.map { _getRetainCount($0) }
        func references() -> [Int] {
            zip(tables, baseline).map { Int(bitPattern: _getRetainCount($0)) - Int(bitPattern: $1) }
        }
        let receiver = Receiver()
        var (rows, nanoseconds) = ([String: Int](), [String: Int64]())
        /// The references that were planted, which do not belong to the tally.
        var planted: Int?
        defer { if let planted { _ = Unmanaged.passUnretained(tables[planted]).retain() } }
        var found: String?
        do {
            var tally = RoundTripTally()
            var pending: Set<Int> = []
            let due = mistake == nil ? nil : steps / 2
            for step in 0..<steps {
                // Few tables in turn, or all of them.
                let reach = random.chance(30) ? tables.count : min(tables.count, 3)
                let index = Int.random(in: 0..<reach, using: &random)
                let table = random.chance(10) ? nil : tables[index]
                let operation = random.pick([StatementSubject.Operation.select, .insert, .update])
                let (count, time) = (
                    Int.random(in: 0..<9, using: &random), Int64.random(in: 1..<99, using: &random)
                )
                var (sent, additions) = (table, 1)
                if step == due {
                    switch mistake {
                    case .lostEntry: additions = 0
                    case .entryTwice: additions = 2
                    case .otherTable: sent = StatementTable("\"public\".\"other\"")
                    case .retainedTwice: _ = Unmanaged.passUnretained(tables[0]).retain()
                    case .releasedEarly:
                        Unmanaged.passUnretained(tables[index]).release()
                        planted = index
                    case nil: break
                    }
                }
                let name = Self.name(operation.name, table?.name)
                rows[name, default: 0] += count
                nanoseconds[name, default: 0] += time
                var isDue = random.chance(2)
                for _ in 0..<additions {
                    if tally.add(RoundTripKey(operation, sent), time, rows: count, at: .now) { isDue = true }
                }
                if table != nil { pending.insert(index) }
                if isDue {
                    tally.pass(to: receiver)
                    pending = []
                    if rows != receiver.rows || nanoseconds != receiver.nanoseconds {
                        found = found ?? "step \(step): sums"
                    }
                }
                let held = references()
                if held.contains(where: { $0 < 0 }) || pending.contains(where: { held[$0] < 1 }) {
                    found = found ?? "step \(step): a table is not retained"
                }
                if pending.isEmpty, held.reduce(0, +) > 8 {
                    found = found ?? "step \(step): more than 8 tables"
                }
            }
            tally.pass(to: receiver)
        }
        if rows != receiver.rows || nanoseconds != receiver.nanoseconds { found = found ?? "sums at the end" }
        let left = references()
        if left.contains(where: { $0 != 0 }) { found = found ?? "references at the end: \(left)" }
        if mistake == .retainedTwice { Unmanaged.passUnretained(tables[0]).release() }
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
        #expect(receiver.rows.count == 1_000)
        #expect(receiver.rows.values.allSatisfy { $0 == 1 })
    }
}
