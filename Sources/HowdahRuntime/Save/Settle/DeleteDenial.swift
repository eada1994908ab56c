import HowdahModel

/// A relationship that forbids deletions as long as its destinations stay.
struct DeleteDenial {
    let entity: EntityLayout
    let relationship: RelationshipLayout
    let rows: [ReferringRows.Row]
    /// Unsaved destinations.
    let pending: [End]

    /// One destination of the relationship, and the key of its owner.
    struct End {
        let owner: Int64
        let object: ManagedObject
    }

    /// Returns an issue for each object that must not be deleted, in the order of ids; loaded or not, each is
    /// named.
    func issues(_ settled: SettledChanges, _ context: ManagedObjectContext) -> [ValidationIssue] {
        let destinations = settled.deletedRows[context.layouts[relationship.destination].root] ?? [:]
        var remaining: [Int64: Int] = [:]
        for row in rows where destinations[row.key] == nil { remaining[row.owner, default: 0] += 1 }
        for end in pending where !settled.isDeleted(end.object) { remaining[end.owner, default: 0] += 1 }
        return remaining.sorted { $0.key < $1.key }.map { owner, count in
            let layout = settled.deletedRows[entity.root]?[owner].map { context.layouts[$0.entity] } ?? entity
            let id = ObjectID<ManagedObject>(
                storeIdentifier: context.store.identifier, entityName: layout.storedName, key: owner)
            return ValidationIssue(
                id, entity.name, relationship.name, ValidationIssue.deleteDenied,
                ValidationIssue.denial(by: entity.name, relationship, remaining: count))
        }
    }
}

extension ValidationIssue {
    /// Returns the message of a deny rule.
    static func denial(by entity: String, _ relationship: RelationshipLayout, remaining count: Int) -> String
    {
        "denies the deletion while \(count) object\(count == 1 ? " remains" : "s remain"). Delete or move "
            + "\(count == 1 ? "that object" : "these objects") first, or change the delete rule of "
            + "\(entity).\(relationship.name)."
    }
}
