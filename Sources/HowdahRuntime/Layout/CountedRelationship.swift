/// A to-many with bounds, or a required to-one that the destination's row keeps.
///
/// If a member changes, the owner must be checked.
struct CountedRelationship: Sendable {
    let entity: Int
    let slot: Int

    /// Returns the required to-ones whose column is in the destination's row, at the entities that declare them.
    static func requiredToOnes(in layouts: [EntityLayout]) -> [CountedRelationship] {
        layouts.flatMap { layout in
            layout.relationshipSlots.filter { slot in
                let relationship = layout.relationship(slot)
                guard case .inverse = relationship.storage, !relationship.isToMany else { return false }
                return !relationship.isOptional && layout.declares(slot, in: layouts)
            }
            .map { CountedRelationship(entity: layout.index, slot: $0) }
        }
    }

    /// Returns the to-manys with bounds, at the entities that declare them.
    static func all(in layouts: [EntityLayout]) -> [CountedRelationship] {
        layouts.flatMap { layout in
            layout.countedSlots.filter { layout.declares($0, in: layouts) }
                .map { CountedRelationship(entity: layout.index, slot: $0) }
        }
    }
}
