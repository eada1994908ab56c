internal import HowdahModel
internal import HowdahSchema

/// Where the links of a relationship were, seen from the relationship of the new model.
struct LinkSource {
    /// The earlier relationship that is stored so, from its own side.
    let mapping: PropertyStorage
    /// The entity in the old model that has it.
    let entity: String
    /// Whether it is the inverse of what the relationship continues, so that owners are its members.
    let isReversed: Bool
    /// The entities of the old model that links went from and to, in the direction of the new relationship.
    let owner: String
    let destination: String
    /// The properties of the old model that the two ends have for the links; nil if an end has none.
    let ownerProperty: String?
    let destinationProperty: String?

    /// The table, and the column in it where links are in a row of an object.
    let storage: [String]

    /// Whether the links are in the rows of their owners.
    var isInOwnersRow: Bool {
        if case .toOne = mapping { !isReversed } else if case .inverse = mapping { isReversed } else { false }
    }
}

extension MigrationPlanner {
    /// Where the links of a relationship were first of all; nil where there were none.
    func linkSource(_ relationship: RelationshipDescription, of entity: String) -> LinkSource? {
        linkSources(relationship, of: entity).first
    }

    /// Everywhere that links of a relationship were: its own source, those of subentities that had it before, and that
    /// of its inverse where the two were no inverses before.
    func linkSources(_ relationship: RelationshipDescription, of entity: String) -> [LinkSource] {
        var found: [LinkSource] = []
        func add(_ name: String, _ entity: String, isReversed: Bool) {
            for member in pairing.new.descendants(of: entity) {
                guard let source = pairing.source(ofEntity: member.name),
                    let before = pairing.source(of: name, in: member.name)?.relationship,
                    let mapping = old.entities[source]?.property(named: before.name)?.mapping,
                    let storage = storage(of: mapping, source),
                    !found.contains(where: { $0.storage == storage })
                else { continue }
                // Where it was declared, objects of more entities have links than where it is declared now.
                let declaring = pairing.old.declaration(of: before.name, in: source)?.entity.name ?? source
                found.append(
                    LinkSource(
                        mapping: mapping, entity: source, isReversed: isReversed,
                        owner: isReversed ? before.destination : declaring,
                        destination: isReversed ? declaring : before.destination,
                        ownerProperty: isReversed ? before.inverse : before.name,
                        destinationProperty: isReversed ? before.name : before.inverse, storage: storage))
            }
        }
        add(relationship.name, entity, isReversed: false)
        if let inverse = relationship.inverse { add(inverse, relationship.destination, isReversed: true) }
        return found
    }

    private func storage(of mapping: PropertyStorage, _ entity: String) -> [String]? {
        switch mapping {
        case .toOne(let mapping): old.entities[entity].map { [$0.table, mapping.column] }
        case .inverse(let mapping): [mapping.table, mapping.column]
        case .join(let mapping): [mapping.joinTable]
        case .attribute, .transient: nil
        }
    }

    /// The links as rows: o and m are the keys of owner and member, p the place among the owner's members, q the
    /// owner's among those of the member.
    func selection(of source: LinkSource) -> String {
        func select(
            _ table: String, _ own: String, _ other: String, _ place: String?, _ otherPlace: String?
        ) -> String {
            let ends = source.isReversed ? [other, own, otherPlace, place] : [own, other, place, otherPlace]
            let columns = zip(ends, ["o", "m", "p", "q"]).map { column, name in
                "\(column.map { places.column($0, of: table, alias: "s") } ?? "CAST(NULL AS bigint)") AS \(name)"
            }
            return "SELECT \(columns.joined(separator: ", ")) FROM \(places.table(table)) AS s WHERE "
                + "\(places.column(own, of: table, alias: "s")) IS NOT NULL AND "
                + "\(places.column(other, of: table, alias: "s")) IS NOT NULL"
        }
        switch source.mapping {
        case .toOne(let mapping):
            let key = old.entities[source.entity]?.keyColumn ?? StoreSchema.idColumn
            let order = oldUses.column(.order(mapping.description.name), of: source.entity)
            return select(source.storage[0], key, mapping.column, nil, order)
        case .inverse(let mapping):
            let key = old.entities[mapping.description.destination]?.keyColumn ?? StoreSchema.idColumn
            return select(mapping.table, mapping.column, key, mapping.orderColumn, nil)
        case .join(let mapping):
            return select(
                mapping.joinTable, mapping.ownColumn, mapping.otherColumn, mapping.ownOrderColumn,
                mapping.otherOrderColumn)
        case .attribute, .transient: return ""
        }
    }
}
