/// The unsaved references and new links of a save, by their destinations.
struct PendingEnds {
    private struct Place: Hashable {
        let root: Int
        let key: Int64
    }

    private var references: [Place: [(object: ManagedObject, slot: Int)]] = [:]
    private var links: [Place: [(table: String, slot: Int, other: ManagedObject)]] = [:]

    init(_ changes: ChangeSet, _ layouts: [EntityLayout]) {
        for object in changes.inserted { note(object, layouts) { _ in true } }
        for update in changes.updated { note(update.object, layouts, where: update.object.isWritten) }
        for link in changes.links where link.isInsertion {
            let (owner, member) = (link.owner, link.member)
            let table = link.columns.table
            links[Place(root: owner.layout.root, key: owner.key), default: []].append(
                (table, link.slot, member))
            // A relationship that is its own inverse has a change for each direction.
            guard let inverse = link.inverse, !owner.layout.relationship(link.slot).isSelfInverse else {
                continue
            }
            links[Place(root: member.layout.root, key: member.key), default: []].append(
                (table, inverse, owner))
        }
    }

    private mutating func note(
        _ object: ManagedObject, _ layouts: [EntityLayout], where isChanged: (Int) -> Bool
    ) {
        for slot in object.layout.relationshipSlots {
            guard case .toOne(let relationship) = object.layout.slots[slot].kind, relationship.inverse != nil,
                isChanged(slot)
            else { continue }
            let field = object._toOneField(at: slot)
            guard field.entity >= 0 else { continue }
            let place = Place(root: layouts[Int(field.entity)].root, key: field.key)
            references[place, default: []].append((object, slot))
        }
    }

    /// Returns the objects whose unsaved reference makes them destinations of a relationship.
    ///
    /// - Parameters:
    ///   - keys: The owners of the relationship, which are of the hierarchy `root`.
    ///   - family: The entities of the destination.
    func referrers(
        _ relationship: RelationshipLayout, of keys: [Int64], root: Int, family: [Int]
    ) -> [DeleteDenial.End] {
        guard let inverse = relationship.inverse, !references.isEmpty else { return [] }
        let family = Set(family)
        return keys.flatMap { key in
            (references[Place(root: root, key: key)] ?? []).compactMap { object, slot in
                slot == inverse && family.contains(object.layout.index)
                    ? DeleteDenial.End(owner: key, object: object) : nil
            }
        }
    }

    /// Returns the members that new links add to a relationship of objects of the hierarchy `root`.
    func partners(
        _ relationship: RelationshipLayout, in table: String, of keys: [Int64], root: Int
    ) -> [DeleteDenial.End] {
        if links.isEmpty { return [] }
        return keys.flatMap { key in
            (links[Place(root: root, key: key)] ?? []).filter {
                $0.table == table && $0.slot == relationship.slot
            }
            .map { DeleteDenial.End(owner: key, object: $0.other) }
        }
    }
}
