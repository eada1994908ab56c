import HowdahModel

/// A relationship that forbids deletions as long as destinations of it stay.
struct DeleteDenial {
    let entity: EntityLayout
    let relationship: RelationshipLayout
    let rows: [ReferringRows.Row]
    /// Destinations that the store does not know of yet.
    let pending: [End]

    /// One object that the relationship leads to, and the key of the one that it leads from.
    struct End {
        let owner: Int64
        let object: ManagedObject
    }

    /// One for each object that may not go, in the order of ids; loaded or not, each is named.
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
