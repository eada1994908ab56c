internal import HowdahModel
internal import HowdahSchema
internal import PQClient

extension MigrationPlanner {
    /// Looks for objects with fewer members than the minimum of a to-many relationship, or more than its maximum.
    ///
    /// After the indexes, and with members grouped once: an index may be what finds those of one owner.
    ///
    /// - Parameter tightened: whether only of relationships whose bounds were wider before, or which are new.
    mutating func checkCounts(tightened: Bool = false, remedy: String) {
        for entity in pairing.new.entities {
            if tightened, pairing.source(ofEntity: entity.name) == nil { continue }
            guard let storage = new.entities[entity.name], let flow = flows[storage.table] else { continue }
            for property in entity.properties {
                guard let relationship = property.relationship, relationship.isToMany,
                    relationship.minCount > 0 || relationship.maxCount > 0,
                    let members = storage.property(named: relationship.name)?.mapping.memberColumns,
                    !tightened || isTightened(relationship, of: entity.name)
                else { continue }
                let key = "o.\(quoted(storage.keyColumn))"
                let owner = "m.\(quoted(members.owner))"
                let names = storage.concreteStoredNames.map(SQLLiteral.string).joined(separator: ", ")
                let kind = storage.discriminator.map { " WHERE o.\(quoted($0)) IN (\(names))" } ?? ""
                // Each owner without members counts one row, of which there is no member; an optional relationship may be empty.
                let least = relationship.isOptional ? " AND pg_catalog.count(\(owner)) > 0" : ""
                var bounds = [
                    "pg_catalog.count(\(owner)) < \(SQLLiteral.integer(relationship.minCount))\(least)"
                ]
                if relationship.maxCount > 0 {
                    bounds.append("pg_catalog.count(\(owner)) > \(SQLLiteral.integer(relationship.maxCount))")
                }
                check(
                    .counts, "members of \(entity.name).\(relationship.name)", flow,
                    where:
                        "t.\(quoted(storage.keyColumn)) IN (SELECT \(key) FROM \(table(flow)) AS o LEFT JOIN "
                        + "\(SQLIdentifier.quoted(namespace, members.table)) AS m ON \(owner) = \(key)\(kind) "
                        + "GROUP BY \(key) HAVING \(bounds.joined(separator: " OR ")))",
                    entity: entity.name,
                    fault: "\(entity.name).\(relationship.name) is to have \(Self.range(of: relationship))",
                    remedy: remedy, key: storage.keyColumn)
            }
        }
    }

    private func isTightened(_ relationship: RelationshipDescription, of entity: String) -> Bool {
        guard let before = pairing.source(of: relationship.name, in: entity)?.relationship, before.isToMany
        else { return true }
        // It may have lost members.
        if before.destination != pairing.source(ofEntity: relationship.destination) { return true }
        let isBelow = before.maxCount == 0 || relationship.maxCount < before.maxCount
        let isRequiredNow = relationship.minCount > 0 && before.isOptional && !relationship.isOptional
        return relationship.minCount > before.minCount || isRequiredNow
            || relationship.maxCount > 0 && isBelow
    }

    private static func range(of relationship: RelationshipDescription) -> String {
        let (least, most) = (relationship.minCount, relationship.maxCount)
        let none = relationship.isOptional && least > 0 ? "no members, or " : ""
        if most == 0 { return none + "at least \(least) \(least == 1 ? "member" : "members")" }
        return none + "\(least > 0 ? "\(least) to" : "at most") \(most) \(most == 1 ? "member" : "members")"
    }
}

extension PropertyStorage {
    /// Where members and owners of a to-many relationship are paired.
    fileprivate var memberColumns: (table: String, owner: String)? {
        switch self {
        case .inverse(let mapping): (mapping.table, mapping.column)
        case .join(let mapping): (mapping.joinTable, mapping.ownColumn)
        case .attribute, .toOne, .transient: nil
        }
    }
}
