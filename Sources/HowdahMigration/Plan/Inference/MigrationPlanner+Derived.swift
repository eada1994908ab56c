internal import HowdahModel
internal import HowdahSchema
internal import PQClient

extension MigrationPlanner {
    /// Computes derived attributes that the server does not compute itself: new ones, changed ones, and all where rows went.
    mutating func deriveValues() {
        let movesRows = flows.values.contains(where: \.movesRows)
        for isCopy in [false, true] {
            for entity in pairing.new.entities.sorted(by: { $0.name < $1.name }) {
                for attribute in entity.properties.compactMap(\.attribute).sorted(by: { $0.name < $1.name }) {
                    guard let derivation = attribute.derivation, derivation.isCopy == isCopy,
                        let column = newUses.column(.leaf([attribute.name]), of: entity.name),
                        let mapping = new.entities[entity.name], let flow = flows[mapping.table],
                        flow.old != nil || flow.movesRows,
                        flow.new.column(column)?.generation == nil,
                        let value = value(of: derivation, entity.name, attribute)
                    else { continue }
                    guard
                        isRedefined(attribute, of: entity.name)
                            || derivation.kind != .now
                                && (movesRows || followsOthers(derivation, entity.name))
                    else { continue }
                    let members = pairing.new.descendants(of: entity.name).filter { !$0.isAbstract }.map(
                        \.name)
                    let rows = filter(members, in: mapping.table, alias: "t0").map { " WHERE \($0)" } ?? ""
                    add(
                        .derive, "derived \(entity.name).\(attribute.name)", on: [mapping.table],
                        ["UPDATE \(table(flow)) AS t0 SET \(quoted(column)) = \(value)\(rows)"],
                        lock: .rowExclusive)
                }
            }
        }
    }

    /// Indicates whether a derived attribute is new, or has another expression than before.
    private func isRedefined(_ attribute: AttributeDescription, of entity: String) -> Bool {
        let before = pairing.source(of: attribute.name, in: entity)?.attribute
        return before?.derivationExpression != attribute.derivationExpression
    }

    /// Indicates whether the values that one is derived from may be others than before: a relationship on the way leads to
    /// other objects, as one does that moved in a hierarchy or took its name from another one, or the attribute at its end
    /// has other values.
    private func followsOthers(_ derivation: Derivation, _ entity: String, depth: Int = 0) -> Bool {
        var place = entity
        for name in derivation.path {
            guard let property = pairing.new.property(named: name, of: place) else { return false }
            guard let before = pairing.source(of: name, in: place), before.name == name else { return true }
            if let attribute = property.attribute {
                guard let former = before.attribute, former.type == attribute.type,
                    attribute.isOptional || !former.isOptional
                else { return true }
                // A copy of a derived value follows what that one follows.
                guard let derivation = attribute.derivation, depth < 64 else { return false }
                return isRedefined(attribute, of: place)
                    || followsOthers(derivation, place, depth: depth + 1)
            }
            guard let relationship = property.relationship, let former = before.relationship,
                former.isToMany == relationship.isToMany,
                former.destination == pairing.source(ofEntity: relationship.destination),
                !becomesOwnInverse(relationship, of: place)
            else { return true }
            place = relationship.destination
        }
        return false
    }

    /// The value as an expression over the row with the alias t0; nil where the save alone writes it.
    private func value(of derivation: Derivation, _ entity: String, _ attribute: AttributeDescription)
        -> String?
    {
        switch derivation.kind {
        case .now:
            if attribute.isOptional { return nil }
            // A moment as a number is in seconds since 2001, as saves write it.
            return attribute.type == .date
                ? "pg_catalog.now()"
                : "CAST(EXTRACT(EPOCH FROM pg_catalog.now()) - 978307200 AS \(attribute.columnType?.sql ?? "double precision"))"
        case .count(let name): return aggregate([name], entity) { _ in "pg_catalog.count(*)" }
        case .sum(let name, let path):
            return aggregate([name] + path, entity) { "COALESCE(pg_catalog.sum(\($0)), 0)" }
        case .copy(let path): return aggregate(path, entity) { $0 }
        case .canonical, .uppercase, .lowercase: return nil
        }
    }

    /// A query over the rows that a path of relationships leads to.
    private func aggregate(
        _ path: [String], _ entity: String, _ value: (String) -> String
    ) -> String? {
        var rest = path[...]
        guard var place = new.entities[entity] else { return nil }
        var (tables, conditions): ([String], [String]) = ([], [])
        var step = 0
        while let name = rest.first, let mapping = place.property(named: name)?.mapping,
            let relationship = mapping.relationship, let next = new.entities[relationship.destination]
        {
            let (own, other) = ("t\(step)", "t\(step + 1)")
            let (key, otherKey) = ("\(own).\(quoted(place.keyColumn))", "\(other).\(quoted(next.keyColumn))")
            switch mapping {
            case .toOne(let mapping): conditions.append("\(otherKey) = \(own).\(quoted(mapping.column))")
            case .inverse(let mapping): conditions.append("\(other).\(quoted(mapping.column)) = \(key)")
            case .join(let mapping):
                tables.append("\(SQLIdentifier.quoted(namespace, mapping.joinTable)) AS j\(step)")
                conditions.append("j\(step).\(quoted(mapping.ownColumn)) = \(key)")
                conditions.append("\(otherKey) = j\(step).\(quoted(mapping.otherColumn))")
            case .attribute, .transient: return nil
            }
            tables.append("\(SQLIdentifier.quoted(namespace, next.table)) AS \(other)")
            rest = rest.dropFirst()
            place = next
            step += 1
        }
        guard step > 0 else { return nil }
        let column = newUses.column(.leaf(Array(rest)), of: place.entityName)
        guard rest.isEmpty || column != nil else { return nil }
        return
            "(SELECT \(value(column.map { "t\(step).\(quoted($0))" } ?? "")) FROM \(tables.joined(separator: ", ")) "
            + "WHERE \(conditions.joined(separator: " AND ")))"
    }
}

extension Derivation {
    /// Whether the value can be a derived one of another object.
    fileprivate var isCopy: Bool { if case .copy = kind { true } else { false } }

    /// The properties from which the value follows, from the object on.
    fileprivate var path: [String] {
        switch kind {
        case .count(let name): [name]
        case .sum(let name, let path): [name] + path
        case .copy(let path), .canonical(let path), .uppercase(let path), .lowercase(let path): path
        case .now: []
        }
    }
}
