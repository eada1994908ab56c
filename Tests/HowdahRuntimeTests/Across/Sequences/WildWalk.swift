import Howdah
import TestSupport

/// What goes from one sequence of a walk to the next.
struct WildWalk: Sendable {
    var random: SeededGenerator
    /// What the store holds.
    var committed = WildGraph()
    var ids: [Int: ObjectID<ManagedObject>] = [:]
    var lastNumber = 0
    /// What was done, for whoever has to find out why it failed.
    var trace: [String] = []
    /// How often what was done.
    var counts: [String: Int] = [:]

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func count(_ what: String) { counts[what, default: 0] += 1 }
}

/// An invariant that does not hold.
struct WildFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
