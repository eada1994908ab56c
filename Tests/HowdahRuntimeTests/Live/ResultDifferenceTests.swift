import SeededRandom
import Testing

@testable import HowdahRuntime

/// Differences of random lists, applied to the former one, give the present one, with as few moves as possible.
@Suite struct ResultDifferenceTests {
    private typealias List = ResultList<Int>

    @Test func differencesOfOneSection() {
        let old = List(rows: [1, 2, 3, 4, 5])
        #expect(ResultDifference(from: old, to: old).isEmpty)
        let inserted = ResultDifference(from: old, to: List(rows: [1, 2, 9, 3, 4, 5]))
        #expect(inserted.rows == [.insert(9, at: place(0, 2))])
        let deleted = ResultDifference(from: old, to: List(rows: [1, 2, 4, 5]))
        #expect(deleted.rows == [.delete(3, at: place(0, 2))])
        // The changed row moves, not the two that it passes.
        let moved = ResultDifference(from: old, to: List(rows: [3, 1, 2, 4, 5]), changed: [3])
        #expect(moved.rows == [.move(3, from: place(0, 2), to: place(0, 0))])
        let swapped = ResultDifference(from: old, to: List(rows: [2, 1, 3, 4, 5]), changed: [1])
        #expect(swapped.rows == [.move(1, from: place(0, 0), to: place(0, 1))])
        let updated = ResultDifference(from: old, to: List(rows: [2, 3, 4, 5]), changed: [5])
        #expect(
            updated.rows
                == [.delete(1, at: place(0, 0)), .update(5, from: place(0, 4), to: place(0, 3))])
    }

    @Test func differencesOfSections() {
        let old = Self.list([(1, "a"), (2, "a"), (3, "c")])
        let new = Self.list([(1, "a"), (2, "b"), (3, "c")])
        let difference = ResultDifference(from: old, to: new, changed: [2])
        #expect(difference.sections == [.insert("b", at: 1)])
        #expect(difference.rows == [.move(2, from: place(0, 1), to: place(1, 0))])
        let back = ResultDifference(from: new, to: old)
        #expect(back.sections == [.delete("b", at: 1)])
        #expect(back.rows == [.move(2, from: place(1, 0), to: place(0, 1))])
        let emptied = ResultDifference(from: old, to: Self.list([(3, "c")]))
        #expect(emptied.sections == [.delete("a", at: 0)])
        #expect(emptied.rows == [.delete(1, at: place(0, 0)), .delete(2, at: place(0, 1))])
        #expect(Self.list([]).sections.isEmpty)
        #expect(List().sections.count == 1)
    }

    @Test func replayedDifferencesGiveTheList() {
        for seed in 0..<4_000 {
            var random = SeededGenerator(seed: UInt64(seed))
            let (old, new) = (Self.list(&random), Self.list(&random))
            let changed = Set((0..<12).filter { _ in random.chance(30) })
            let difference = ResultDifference(from: old, to: new, changed: changed)
            var replayed = old
            replayed.apply(difference)
            #expect(replayed == new, "seed \(seed)")
            check(difference, old, new, changed, seed)
        }
    }

    /// A list with one wrong place is not what it should be, so that the comparison above means something.
    @Test func aWrongPlaceIsSeen() {
        let (old, new) = (List(rows: [1, 2, 3]), List(rows: [3, 1, 2]))
        var replayed = old
        replayed.apply(
            ResultDifference(rows: [.move(3, from: place(0, 2), to: place(0, 1))], sections: []))
        #expect(replayed != new)
    }

    private func check(
        _ difference: ResultDifference<Int>, _ old: List, _ new: List, _ changed: Set<Int>, _ seed: Int
    ) {
        let (before, after) = (Set(old.rows), Set(new.rows))
        var rows: [String: Set<Int>] = [:]
        for change in difference.rows {
            let kind =
                switch change {
                case .delete: "delete"
                case .insert: "insert"
                case .move: "move"
                case .update: "update"
                }
            #expect(rows[kind, default: []].insert(change.row).inserted, "twice, seed \(seed)")
        }
        #expect(rows["delete"] ?? [] == before.subtracting(after), "seed \(seed)")
        #expect(rows["insert"] ?? [] == after.subtracting(before), "seed \(seed)")
        let moved = rows["move"] ?? []
        #expect(
            rows["update"] ?? [] == before.intersection(after).intersection(changed).subtracting(moved),
            "seed \(seed)")
        guard old.sections.count == 1, new.sections.count == 1, old.sections[0].name == new.sections[0].name
        else { return }
        let common = new.rows.filter(before.contains)
        #expect(moved.count == common.count - Self.longestRun(common, old.rows, changed), "seed \(seed)")
    }

    /// The length of the heaviest run that keeps its order, by the definition.
    private static func longestRun(_ common: [Int], _ old: [Int], _ changed: Set<Int>) -> Int {
        let places = common.map { old.firstIndex(of: $0) ?? 0 }
        var best: [(weight: Int, length: Int)] = []
        for end in places.indices {
            let own = changed.contains(common[end]) ? 1 : common.count + 1
            let former = best.indices.filter { places[$0] < places[end] }.map { best[$0] }
                .max { $0.weight < $1.weight }
            best.append(((former?.weight ?? 0) + own, (former?.length ?? 0) + 1))
        }
        return best.max { $0.weight < $1.weight }?.length ?? 0
    }

    private static func list(_ random: inout SeededGenerator) -> List {
        let rows = (0..<12).filter { _ in random.chance(60) }.shuffled(using: &random)
        if random.chance(40) { return List(rows: rows) }
        let names = ["", "a", "b", "c"].filter { _ in random.chance(70) }
        guard !names.isEmpty else { return List(rows: rows) }
        let named = rows.map { (row: $0, name: random.pick(names)) }
        let order = random.chance(80) ? names : names.reversed()
        return List(rows: order.flatMap { name in named.filter { $0.name == name } })
    }

    private static func list(_ rows: [(Int, String)]) -> List {
        List(rows: rows.map { (row: $0.0, name: $0.1) })
    }

    private func place(_ section: Int, _ row: Int) -> ResultIndexPath {
        ResultIndexPath(section: section, row: row)
    }
}
