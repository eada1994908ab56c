import Synchronization

/// Something that happened.
final class Flag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .acquiring) }

    func set() { value.store(true, ordering: .releasing) }
}

/// Something that one thread after the other uses.
///
/// Unchecked, because the compiler does not see what makes it safe: the giver does not touch it any more.
struct Handed<T>: @unchecked Sendable {
    let value: T

    init(_ value: T) { self.value = value }
}
