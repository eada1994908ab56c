import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

@testable import HowdahRuntime

/// Members of long lists are found where they are, whatever came, went and moved before.
@Suite struct LongListTests {
    /// The storage of a list against an array, with a length at which it keeps an index.
    @Test(arguments: [1, 2, 3, 4, 5] as [UInt64])
    func positionsFollowAnArray(seed: UInt64) async throws {
        try await withTestStore(Garden.model()) { container in
            try await container.perform { context in
                var random = SeededGenerator(seed: seed)
                let plants = (0..<60).map { _ in context.insert("Plant") }
                let state = _ToManyState(isOrdered: true, isKeptByOwner: true, isLoaded: true)
                var array: [ManagedObject] = []
                for step in 0..<600 {
                    let plant = random.pick(plants)
                    switch Int.random(in: 0..<10, using: &random) {
                    case 0..<5:
                        state.add(plant)
                        if !array.contains(plant) { array.append(plant) }
                    case 5..<9 where step > 100:
                        state.remove(plant)
                        array.removeAll { $0 === plant }
                    default:
                        guard let present = array.firstIndex(of: plant) else { continue }
                        let place = Int.random(in: 0..<array.count, using: &random)
                        state.move(plant, to: place)
                        array.insert(array.remove(at: present), at: place)
                    }
                    #expect(state.members == array)
                    let other = random.pick(plants)
                    #expect(state.position(of: other) == array.firstIndex(of: other))
                    #expect(state.contains(other) == array.contains(other))
                }
                context.rollback()
            }
        }
    }

    /// The numbers of a list's places, of which some are removed and some come at the end.
    @Test func placesShiftByWhatWasRemoved() {
        var random = SeededGenerator(seed: 7)
        var places = ShiftedPlaces(count: 13)
        var left = Array(0..<13)
        for _ in 0..<400 {
            if left.count < 3 || random.chance(50) {
                left.append(places.append())
            } else {
                places.remove(left.remove(at: Int.random(in: 0..<left.count, using: &random)))
            }
            #expect(left.map(places.place) == Array(left.indices))
        }
    }
}
