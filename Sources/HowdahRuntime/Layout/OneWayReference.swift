import HowdahModel

/// A foreign key whose relationship has no inverse, for deletions of its destination.
struct OneWayReference: Sendable {
    let entity: Int
    let slot: Int
    let columns: ForeignKeyColumns

    /// Returns all of them, by their possible destination entities.
    static func all(in layouts: [EntityLayout]) -> [Int: [OneWayReference]] {
        var references: [Int: [OneWayReference]] = [:]
        for layout in layouts {
            for relationship in layout.relationshipSlots.map(layout.relationship) {
                guard case .foreignKey(let columns) = relationship.storage, relationship.inverse == nil,
                    relationship.deleteRule != .noAction, layout.declares(relationship.slot, in: layouts)
                else { continue }
                let reference = OneWayReference(
                    entity: layout.index, slot: relationship.slot, columns: columns)
                for destination in layouts[relationship.destination].family {
                    references[destination, default: []].append(reference)
                }
            }
        }
        return references
    }
}

extension StoreLayout {
    /// Returns the to-many relationships without an inverse that can have objects of an entity.
    func oneWayLinks(to layout: EntityLayout) -> [(entity: Int, slot: Int, columns: JoinColumns)] {
        oneWaySlots.compactMap { entity, slot in
            let relationship = entities[entity].relationship(slot)
            guard case .join(let columns) = relationship.storage,
                entities[relationship.destination].family.contains(layout.index)
            else { return nil }
            return (entity, slot, columns)
        }
    }
}

extension EntityLayout {
    /// Returns true if the property in `slot` is this entity's own. Sub-entities have it too, in the same
    /// slot and column.
    func declares(_ slot: Int, in layouts: [EntityLayout]) -> Bool {
        !layouts.contains { other in
            other !== self && other.family.contains(index) && other.slots.count > slot
                && other.slots[slot].name == slots[slot].name
        }
    }
}
