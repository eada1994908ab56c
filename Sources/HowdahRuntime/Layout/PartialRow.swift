/// The properties in the rows of a fetch that does not read all of them.
final class PartialRow: Sendable {
    /// The slots, by entity.
    private let slots: [Int: Set<Int>]

    /// - Parameter slots: The slots of each entity of the family, also those without columns.
    init(_ slots: [Int: Set<Int>]) { self.slots = slots }

    func holds(_ slot: Int, of entity: Int) -> Bool { slots[entity]?.contains(slot) ?? false }

    func covers(_ other: PartialRow, of entity: Int) -> Bool {
        other === self || (other.slots[entity] ?? []).isSubset(of: slots[entity] ?? [])
    }

    func slots(of entity: Int) -> Set<Int> { slots[entity] ?? [] }

    /// Returns the positions of the columns that are read.
    func columns(of layout: EntityLayout) -> Set<Int> {
        Set(slots(of: layout.index).flatMap { layout.slots[$0].columns })
    }
}
