/// A to-many with a minimum: whoever deletes one of its members has to look for the owner.
struct MinimumCount: Sendable {
    let entity: Int
    let slot: Int

    /// All of them, at the entities that declare them.
    static func all(in layouts: [EntityLayout]) -> [MinimumCount] {
        layouts.flatMap { layout in
            layout.countedSlots.filter {
                layout.relationship($0).minCount > 0 && layout.declares($0, in: layouts)
            }
            .map { MinimumCount(entity: layout.index, slot: $0) }
        }
    }
}
