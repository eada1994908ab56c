import HowdahModel

/// A generator with a seed that failing tests print (SplitMix64).
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var numbers: SplitMix64

    /// Creates a generator that gives the same numbers for the same seed.
    public init(seed: UInt64) { numbers = SplitMix64(seed: seed) }

    /// Returns the next number.
    public mutating func next() -> UInt64 { numbers.next() }

    /// Returns one of the choices.
    public mutating func pick<T>(_ choices: [T]) -> T {
        choices[Int.random(in: 0..<choices.count, using: &self)]
    }

    /// Returns true that many times of a hundred.
    public mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }

    /// Returns true with a probability.
    public mutating func chance(_ probability: Double) -> Bool {
        Double.random(in: 0..<1, using: &self) < probability
    }
}
