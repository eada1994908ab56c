import HowdahModel
import PQClient

/// Finds every relationship that a save would have set to a missing row, after the server reported one.
///
/// It sends a statement for each hierarchy of destinations.
struct LostDestinations {
    let context: ManagedObjectContext
    /// A connection that can run queries again.
    let connection: Connection

    private struct Place: Hashable {
        let root: Int
        let key: Int64

        init(_ object: ManagedObject) { (root, key) = (object.layout.root, object.key) }
    }

    /// Returns the error that names them, with the conflicts for the context; nil if there are none.
    func error(_ cause: PostgresError, _ changes: ChangeSet) throws -> SaveError? {
        let gone = try missing(among: references(of: changes).map(\.destination) + ends(of: changes))
        var lost = references(of: changes).filter { gone.contains(Place($0.destination)) }
        for link in changes.links where link.isInsertion {
            if gone.contains(Place(link.member)) {
                lost.append(.init(object: link.owner, slot: link.slot, destination: link.member))
            } else if gone.contains(Place(link.owner)), let inverse = link.inverse {
                lost.append(.init(object: link.member, slot: inverse, destination: link.owner))
            }
        }
        if lost.isEmpty { return nil }
        let found = try Self.conflicts(lost) { keys, layout in
            try StoredRow.read(keys, of: layout, in: context) { try connection.query($0, $1, about: $2) }
        }
        context.changes.noteConflicts(found)
        return Self.error(lost, "is no longer in the store", cause)
    }

    /// - Parameter reason: The reason why their destinations are deleted.
    static func error(
        _ lost: [LostDestination], _ reason: String, _ cause: PostgresError? = nil
    ) -> SaveError {
        SaveError(
            .referentialIntegrity,
            "A relationship refers to an object that was deleted. Nothing was saved. Set the relationship to "
                + "another object or nil, and save again.",
            issues: lost.map { $0.issue(reason) }, databaseError: cause)
    }

    /// Returns the conflicts for a policy, by object.
    ///
    /// - Parameter rows: Returns the rows to compare with.
    static func conflicts(
        _ lost: [LostDestination], _ rows: ([Int64], EntityLayout) throws -> [Int64: StoredRow]
    ) rethrows -> [MergeConflict] {
        var conflicts: [MergeConflict] = []
        for losses in Dictionary(grouping: lost, by: { $0.object.layout.index }).values {
            let layout = losses[0].object.layout
            let stored = losses.map(\.object).filter { !$0._flags.contains(.inserted) }.map(\.key)
            let found = stored.isEmpty ? [:] : try rows(stored, layout)
            for losses in Dictionary(grouping: losses, by: { ObjectIdentifier($0.object) }).values {
                let object = losses[0].object
                conflicts.append(MergeConflict(object, found[object.key], lost: losses))
            }
        }
        return conflicts
    }

    private func references(of changes: ChangeSet) -> [LostDestination] {
        let written =
            changes.inserted.map { ($0, $0.layout.relationshipSlots) }
            + changes.updated.map { ($0.object, $0.slots) }
        return written.flatMap { object, slots in
            slots.compactMap { slot in
                guard case .toOne(let relationship) = object.layout.slots[slot].kind,
                    case .foreignKey = relationship.storage,
                    let destination = object.destination(slot), isStored(destination)
                else { return nil }
                return LostDestination(object: object, slot: slot, destination: destination)
            }
        }
    }

    private func ends(of changes: ChangeSet) -> [ManagedObject] {
        changes.links.filter(\.isInsertion).flatMap { [$0.owner, $0.member] }.filter(isStored)
    }

    /// Returns a Boolean value that indicates whether the object must have a row already.
    private func isStored(_ object: ManagedObject) -> Bool {
        object._flags.isDisjoint(with: [.inserted, .deleted])
    }

    private func missing(among objects: [ManagedObject]) throws -> Set<Place> {
        var missing = Set(objects.map(Place.init))
        for (root, places) in Dictionary(grouping: missing, by: \.root) {
            let (table, key) = (context.layouts[root].table, context.layouts[root].table.key.name)
            var parameters = Parameters()
            parameters.append(places.map(\.key))
            let rows = try connection.query(
                "SELECT \(key) FROM \(table) WHERE \(key) = ANY($1)", parameters,
                about: .init(.select, table.subject))
            var present: Set<Int64> = []
            rows.forEachRow { present.insert($0[0].int64) }
            for place in places where present.contains(place.key) { missing.remove(place) }
        }
        return missing
    }
}
