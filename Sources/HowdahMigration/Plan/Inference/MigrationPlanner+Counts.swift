internal import HowdahModel
internal import HowdahSchema
internal import PQClient

extension MigrationPlanner {
    /// Looks for objects with fewer members than the minimum of a to-many relationship, or more than its maximum, and for those
    /// that lack a required to-one relationship which another object's row holds.
    ///
    /// After the indexes, and with members grouped once: an index may be what finds those of one owner.
    ///
    /// - Parameter tightened: whether only of relationships that may break their bounds because of the migration.
    mutating func checkCounts(tightened: Bool = false, remedy: String) {
        for entity in pairing.new.entities {
            guard let storage = new.entities[entity.name], let flow = flows[storage.table] else { continue }
            for property in entity.properties {
                guard let relationship = property.relationship,
                    let mapping = storage.property(named: relationship.name)?.mapping,
                    let members = mapping.memberColumns, let rule = rule(of: relationship, entity, remedy),
                    !tightened || isTightened(relationship, of: entity.name)
                else { continue }
                let key = "o.\(quoted(storage.keyColumn))"
                let owner = "m.\(quoted(members.owner))"
                let names = storage.concreteStoredNames.map(SQLLiteral.string).joined(separator: ", ")
                let kind = storage.discriminator.map { " WHERE o.\(quoted($0)) IN (\(names))" } ?? ""
                // Each owner without members counts one row, of which there is no member; an optional relationship may be empty.
                let least = relationship.isOptional ? " AND pg_catalog.count(\(owner)) > 0" : ""
                var bounds = ["pg_catalog.count(\(owner)) < \(SQLLiteral.integer(rule.least))\(least)"]
                if rule.most > 0 {
                    bounds.append("pg_catalog.count(\(owner)) > \(SQLLiteral.integer(rule.most))")
                }
                let owners = concreteEntities(in: storage.table).filter {
                    storage.concreteStoredNames.contains($0.storedName)
                }
                check(
                    .counts, "members of \(entity.name).\(relationship.name)", flow,
                    where:
                        "t.\(quoted(storage.keyColumn)) IN (SELECT \(key) FROM \(table(flow)) AS o LEFT JOIN "
                        + "\(SQLIdentifier.quoted(namespace, members.table)) AS m ON \(owner) = \(key)\(kind) "
                        + "GROUP BY \(key) HAVING \(bounds.joined(separator: " OR ")))",
                    entity: owners.count == 1 ? owners[0].name : entity.name, fault: rule.fault,
                    remedy: rule.remedy, key: storage.keyColumn,
                    name: entityName(of: owners, storage.discriminator))
            }
        }
    }

    /// The least and greatest number of members of an object, and the message about an object that breaks them.
    private struct CountRule {
        let least: Int
        let most: Int
        let fault: String
        let remedy: String
    }

    /// Nil if the relationship may have any number of members.
    private func rule(
        of relationship: RelationshipDescription, _ entity: EntityDescription, _ remedy: String
    ) -> CountRule? {
        let place = "\(entity.name).\(relationship.name)"
        if relationship.isToMany {
            guard relationship.minCount > 0 || relationship.maxCount > 0 else { return nil }
            return CountRule(
                least: relationship.minCount, most: relationship.maxCount,
                fault: "\(place) must have \(Self.range(of: relationship))", remedy: remedy)
        }
        if relationship.isOptional { return nil }
        let (fault, remedy) = Self.absence(place, isLink: true)
        return CountRule(least: 1, most: 0, fault: fault, remedy: remedy)
    }

    /// Indicates whether objects that kept the bounds before may not keep them now: the bounds are narrower, or the relationship is
    /// new for the objects of an entity, or they may have lost members, or got some of another relationship.
    private func isTightened(_ relationship: RelationshipDescription, of entity: String) -> Bool {
        let owners = pairing.new.descendants(of: entity).filter {
            !$0.isAbstract && concreteSource(of: $0.name) != nil
        }
        if owners.isEmpty { return false }
        return linkSources(relationship, of: entity).count > 1 || becomesOwnInverse(relationship, of: entity)
            || owners.contains { owner in
                guard let before = pairing.source(of: relationship.name, in: owner.name)?.relationship,
                    !before.isTransient, before.isToMany == relationship.isToMany
                else { return true }
                return losesMembers(relationship.destination, before.destination)
                    || Self.isNarrower(relationship, than: before)
            }
    }

    private static func isNarrower(
        _ relationship: RelationshipDescription, than before: RelationshipDescription
    ) -> Bool {
        let isRequiredNow = before.isOptional && !relationship.isOptional
        guard relationship.isToMany else { return isRequiredNow }
        let isBelow = before.maxCount == 0 || relationship.maxCount < before.maxCount
        return relationship.minCount > before.minCount || relationship.minCount > 0 && isRequiredNow
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
    /// Where members and owners of a relationship are paired, other than in the owner's row.
    fileprivate var memberColumns: (table: String, owner: String)? {
        switch self {
        case .inverse(let mapping): (mapping.table, mapping.column)
        case .join(let mapping): (mapping.joinTable, mapping.ownColumn)
        case .attribute, .toOne, .transient: nil
        }
    }
}
