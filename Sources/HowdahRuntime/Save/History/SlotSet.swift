/// A set of the slots of an entity, which costs no allocation for the first 64.
struct SlotSet: Hashable, Sendable {
    private var low: UInt64 = 0
    private var high: Set<Int> = []

    /// Creates a set of some slots.
    init(_ slots: some Sequence<Int> = EmptyCollection()) {
        for slot in slots { insert(slot) }
    }

    /// Adds a slot.
    mutating func insert(_ slot: Int) {
        if slot < UInt64.bitWidth { low |= 1 << slot } else { high.insert(slot) }
    }

    /// Adds the slots of another set.
    mutating func add(_ other: SlotSet) {
        low |= other.low
        if !other.high.isEmpty { high.formUnion(other.high) }
    }

    /// The slots, ascending.
    var slots: [Int] {
        (0..<UInt64.bitWidth).filter { low & (1 << $0) != 0 } + high.sorted()
    }
}
