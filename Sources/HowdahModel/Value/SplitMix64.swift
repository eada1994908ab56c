/// Random numbers that are the same on every machine and in every version of Swift.
///
/// The standard library's `random(in:)` and `shuffled()` promise no algorithm, so this type has its own
/// draws.
///
/// Source: Steele, Lea, Flood: Fast splittable pseudorandom number generators (2014).
package struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Creates the numbers that follow from a seed.
    package init(seed: UInt64) { state = seed }

    /// Creates a separate stream for each list of words: draws of one stream do not change another.
    package init(seed: UInt64, _ words: String..., number: Int = 0) {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for word in words {
            for byte in word.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
            // A byte that UTF-8 does not have, so that "ab", "c" is not "a", "bc".
            hash = (hash ^ 0xff) &* 0x100_0000_01b3
        }
        var mixer = SplitMix64(seed: seed ^ hash)
        state = mixer.next() ^ UInt64(bitPattern: Int64(number)) &* 0x9e37_79b9_7f4a_7c15
        _ = next()
    }

    /// Returns the next number.
    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }

    /// Returns a number from 0 to `bound` - 1.
    package mutating func below(_ bound: Int) -> Int {
        Int(next().multipliedFullWidth(by: UInt64(bound)).high)
    }

    /// Returns a number from `low` to `high`, both included.
    package mutating func integer(_ low: Int64, _ high: Int64) -> Int64 {
        let span = UInt64(bitPattern: high &- low)
        guard span < .max else { return Int64(bitPattern: next()) }
        return low &+ Int64(bitPattern: next().multipliedFullWidth(by: span + 1).high)
    }

    /// Returns a number from 0 to below 1.
    package mutating func fraction() -> Double { Double(next() >> 11) * 0x1p-53 }

    /// Returns true for `part` of `whole` draws.
    package mutating func chance(_ part: Int, in whole: Int) -> Bool { below(whole) < part }

    /// Returns one of the values.
    package mutating func pick<T>(_ values: [T]) -> T { values[below(values.count)] }

    /// Returns `count` random bytes.
    package mutating func bytes(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 8)
        while bytes.count < count {
            withUnsafeBytes(of: next().littleEndian) { bytes.append(contentsOf: $0) }
        }
        return Array(bytes.prefix(count))
    }

    /// Puts the values in another order.
    package mutating func shuffle<T>(_ values: inout [T]) {
        guard values.count > 1 else { return }
        for place in stride(from: values.count - 1, to: 0, by: -1) { values.swapAt(place, below(place + 1)) }
    }
}
