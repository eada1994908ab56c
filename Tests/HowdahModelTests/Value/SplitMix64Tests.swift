import SeededRandom
import Testing

@testable import HowdahModel

@Suite struct SplitMix64Tests {
    /// The reference implementation's numbers for this seed.
    @Test func itIsSplitMix64() {
        var random = SplitMix64(seed: 1_234_567)
        #expect(random.next() == 6_457_827_717_110_365_317)
        #expect(random.next() == 3_203_168_211_198_807_973)
        #expect(random.next() == 9_817_491_932_198_370_423)
    }

    @Test func drawsStayWithinTheirBounds() {
        var random = SplitMix64(seed: 9)
        var seen: Set<Int64> = []
        for _ in 0..<1000 {
            seen.insert(random.integer(-2, 3))
            #expect((0..<7).contains(random.below(7)))
            #expect((0..<1).contains(random.fraction()))
        }
        #expect(seen == [-2, -1, 0, 1, 2, 3])
        #expect(random.integer(5, 5) == 5)
        #expect((0..<100).contains { _ in random.integer(.min, .max) < -1 << 62 })
        var deck = Array(0..<50)
        random.shuffle(&deck)
        #expect(deck != Array(0..<50) && deck.sorted() == Array(0..<50))
        #expect(random.bytes(13).count == 13)
    }

    @Test func streamsDifferByTheirWordsAndNumbers() {
        var first = [
            SplitMix64(seed: 1, "ab", "c"), SplitMix64(seed: 1, "a", "bc"), SplitMix64(seed: 2, "ab", "c"),
            SplitMix64(seed: 1, "ab", "c", number: 1),
        ]
        #expect(Set(first.indices.map { first[$0].next() }).count == 4)
    }
}
