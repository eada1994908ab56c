import Howdah
import HowdahTesting
import TestSupport
import Testing

@testable import HowdahRuntime

@Suite struct IdentityMapTests {
    /// Insert, find, remove and grow against a dictionary, with keys that are dense, scattered and negative.
    @Test func behavesAsADictionary() async throws {
        try await withTestStore(Company.model()) { container in
            try await container.perform { context in
                let objects = (0..<400).map { _ in Room(context: context) }
                for seed in UInt64(0)..<30 {
                    var random = SeededGenerator(seed: seed)
                    var map = IdentityMap()
                    var model: [Int64: ManagedObject] = [:]
                    let keys: [Int64] = (0..<300).map { index in
                        switch seed % 3 {
                        case 0: Int64(index) - 150
                        case 1: Int64(truncatingIfNeeded: random.next())
                        // Keys that begin at the same place of small maps.
                        default: Int64(index) &* (1 << 36)
                        }
                    }
                    for step in 0..<2_000 {
                        let key = random.pick(keys)
                        if let known = model[key] {
                            if random.chance(30) { map.remove(objects[399], key) }
                            if random.chance(60) {
                                map.remove(known, key)
                                model[key] = nil
                            }
                        } else {
                            let object = objects[Int.random(in: 0..<399, using: &random)]
                            map.insert(object, key)
                            model[key] = object
                        }
                        if random.chance(1) { map.reserve(Int.random(in: 0..<200, using: &random)) }
                        let probe = random.pick(keys)
                        #expect(map.find(probe) === model[probe], "seed \(seed), step \(step)")
                        #expect(map.count == model.count)
                    }
                    for key in keys { #expect(map.find(key) === model[key], "seed \(seed)") }
                    #expect(map.all.count == model.count)
                }
            }
        }
    }
}
