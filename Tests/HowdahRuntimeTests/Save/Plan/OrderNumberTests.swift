import TestSupport
import Testing

@testable import HowdahRuntime

/// The numbers of ordered lists, without a server.
@Suite struct OrderNumberTests {
    private static let step = OrderNumbers.step

    private static func assigned(_ numbers: [Int64?]) -> [Int64] {
        OrderNumbers.assigned(
            to: numbers.enumerated().map { OrderNumbers.Member(number: $1, key: Int64($0)) })
    }

    @Test func aNewListIsSpreadOut() {
        #expect(Self.assigned([nil, nil, nil]) == [1, 2, 3].map { $0 * Self.step })
        #expect(Self.assigned([]) == [])
    }

    @Test func onlyWhatMovedOrIsNewGetsANumber() {
        // The last went to the front.
        #expect(Self.assigned([30, 10, 20]) == [10 - Self.step, 10, 20])
        // The first went to the end.
        #expect(Self.assigned([20, 30, 10]) == [20, 30, 30 + Self.step])
        // Between two others it takes the middle.
        #expect(Self.assigned([100, nil, 200]) == [100, 150, 200])
        #expect(Self.assigned([0, nil, nil, nil, 100]) == [0, 25, 50, 75, 100])
    }

    @Test func withoutRoomAllGetNewNumbers() {
        #expect(Self.assigned([10, nil, 11]) == [1, 2, 3].map { $0 * Self.step })
        // Equal numbers, as rows written by hand may have them, are in the order of keys and leave no room.
        #expect(Self.assigned([7, 7, 7]) == [7, 7, 7])
        #expect(Self.assigned([7, nil, 7]) == [1, 2, 3].map { $0 * Self.step })
    }

    @Test func theEndsOfTheRangeAreNoTrap() {
        for numbers in [[Int64.max, nil], [nil, Int64.min], [Int64.min, nil, Int64.max]] as [[Int64?]] {
            let given = Self.assigned(numbers)
            #expect(given == given.sorted() && Set(given).count == given.count)
        }
        #expect(OrderNumbers.following(Int64.max - 1, count: 1) == nil)
        #expect(OrderNumbers.following(nil, count: 2) == [Self.step, 2 * Self.step])
    }

    /// Whatever is done to a list, its numbers ascend, and a single move changes a single number while there is room.
    @Test(arguments: UInt64(1)..<40)
    func numbersAscendThroughRandomEdits(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var members = (0..<Int.random(in: 0...30, using: &random)).map {
            OrderNumbers.Member(number: nil, key: Int64($0))
        }
        var nextKey: Int64 = 1_000
        var renumbered = 0
        for _ in 0..<200 {
            if members.isEmpty || Int.random(in: 0..<3, using: &random) == 0 {
                let place = Int.random(in: 0...members.count, using: &random)
                members.insert(.init(number: nil, key: nextKey), at: place)
                nextKey += 1
            } else {
                let member = members.remove(at: .random(in: members.indices, using: &random))
                if Bool.random(using: &random) {
                    // Most often to the same place, which is where room runs out.
                    let place = min(
                        members.count,
                        Bool.random(using: &random) ? 1 : Int.random(in: 0...30, using: &random))
                    members.insert(member, at: place)
                }
            }
            let given = OrderNumbers.assigned(to: members)
            let ascends = zip(given, given.dropFirst()).allSatisfy { $0 < $1 }
            #expect(ascends, "seed \(seed): \(given)")
            if !ascends { return }
            let changed = zip(members, given).filter { $0.number != $1 }.count
            if changed > 1 { renumbered += 1 }
            members = zip(members, given).map { .init(number: $1, key: $0.key) }
        }
        #expect(renumbered < 20)
    }
}
