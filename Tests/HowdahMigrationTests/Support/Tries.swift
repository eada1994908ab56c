import Synchronization

/// Counts how often something was tried.
final class Tries: Sendable {
    private let counter = Atomic(0)

    var count: Int { counter.load(ordering: .relaxed) }

    func next() -> Int { counter.add(1, ordering: .relaxed).newValue }
}
