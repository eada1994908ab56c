import HowdahMigration
import HowdahModel
import HowdahRuntime
import HowdahSchema
import PQClient

/// The statement that sets one relationship of all destination objects of an entity mapping.
///
/// The members are the destinations of the source objects at the end of a path of relationships.
struct LinkStatements {
    let layouts: MappingLayouts
    let entry: MappingLayouts.Entry
    private let to: EntityLayout
    let relationship: RelationshipLayout

    /// The members that an expression refers to.
    struct Members {
        let relationship: RelationshipLayout
        /// The entity mappings that create the members.
        let makers: [MappingLayouts.Entry]
        /// The path from the source object to the members' source objects.
        let keys: [String]
    }

    init?(_ property: PropertyMapping, _ entry: MappingLayouts.Entry, _ layouts: MappingLayouts) {
        guard let to = entry.destination, let slot = to.slotsByName[property.name],
            let relationship = to.slots[slot].relationship
        else { return nil }
        self.layouts = layouts
        self.entry = entry
        self.to = to
        self.relationship = relationship
    }

    /// Returns the members; nil if the expression or the relationship needs more than SQL can do here.
    func members(_ expression: MappingExpression) -> Members? {
        guard !relationship.isSelfInverse || turned != nil, !relationship.isTransient,
            case .destinationInstances(let lookup, let name, let operand)? = expression.call,
            let operand = MappingExpression.onSource(operand), let keys = operand.keys, let way = way(keys)
        else { return nil }
        let taken = layouts.destination.entities[relationship.destination]
        var makers: [MappingLayouts.Entry] = []
        for maker in layouts.makers(lookup, name, of: entry, from: [way.layout]) {
            guard let made = maker.destination else { continue }
            if taken.family.contains(made.index) {
                makers.append(maker)
            } else if made.family.contains(taken.index), maker.mapping.entityMigrationPolicyClassName != nil {
                // Its objects may be of the entity that the relationship takes, or of another one.
                return nil
            }
        }
        return Members(relationship: relationship, makers: makers, keys: keys)
    }

    /// Returns the statements; nil without ``members(_:)``, and none if they have no effect.
    ///
    /// - Parameter direct: The cases in which pairs need not be recorded.
    func all(_ expression: MappingExpression, _ direct: DirectLinks?) -> [MappedStatement]? {
        guard let members = members(expression), let way = way(members.keys) else { return nil }
        let found = members.makers
        if found.isEmpty { return [] }
        let (source, destination) = (MappedPairs.source, MappedPairs.destination)
        let (own, others) = (
            direct?.pairs([entry]) ?? layouts.pairs.item([entry]),
            direct?.pairs(found) ?? layouts.pairs.item(found)
        )
        let pairs =
            "SELECT a.\(destination) AS o, b.\(destination) AS m, \(way.place) AS p FROM \(own) AS a"
            + way.joins + " JOIN \(others) AS b ON b.\(source) = \(way.end)"
        if case .foreignKey(let columns) = relationship.storage {
            // Sorting is most of the work: whoever has one pair at most needs none.
            let isSingle =
                way.isToOne && found.count == 1
                && (found + [entry]).allSatisfy {
                    $0.mapping.entityMigrationPolicyClassName == nil
                }
            return [MappedStatement(reference(pairs, columns, isSingle: isSingle))]
        }
        var statements: [MappedStatement] = []
        if !way.isApart, case .inverse = relationship.storage {
            let other = layouts.destination.entities[relationship.destination]
            let place = relationship.inverse.map { "\(other.name).\(other.slots[$0].name)" } ?? other.name
            statements.append(look(pairs, at: place, entity: other.name))
        }
        let links =
            "SELECT l.o, l.m, pg_catalog.row_number() OVER (PARTITION BY l.o ORDER BY l.p, l.m) AS n "
            + "FROM (\(pairs)) AS l"
        statements.append(MappedStatement(writing(links)))
        if let turned {
            // Both directions are rows.
            let other = layouts.destination.entities[relationship.destination]
            statements.append(MappedStatement(insertion(links, turned, other)))
        }
        return statements
    }

    /// Returns a statement that finds objects with several destinations of a to-one.
    private func look(_ pairs: String, at place: String, entity: String) -> MappedStatement {
        MappedStatement(
            "SELECT l.m, pg_catalog.count(*) OVER () FROM (\(pairs)) AS l GROUP BY l.m "
                + "HAVING pg_catalog.count(DISTINCT l.o) > 1 ORDER BY 1 LIMIT 5",
            check: MigrationStep.Check(
                severalAt: place, of: entity,
                remedy: "Keep \(place) to-many, or remove all but one object from it in an earlier stage"))
    }

    /// The other direction of a relationship that is its own inverse.
    ///
    /// It is nil if that has an order, which the objects themselves keep, and for any other relationship.
    private var turned: JoinColumns? {
        guard relationship.isSelfInverse, case .join(let columns) = relationship.storage,
            columns.orderColumn == nil, columns.otherOrderColumn == nil
        else { return nil }
        return columns.turned
    }

    /// Returns the path from the association `a` to the key of the last source object, and its place in a
    /// list.
    private func way(_ keys: [String]) -> (
        joins: String, end: String, place: String, isToOne: Bool, isApart: Bool, layout: EntityLayout
    )? {
        guard var layout = entry.source, let links = layouts.relationships(keys, from: layout) else {
            return nil
        }
        var joins = ""
        var end = "a.\(MappedPairs.source)"
        var place = "CAST(NULL AS bigint)"
        var isToOne = true
        // Whether no two owners have a member in common.
        var isApart = true
        for (number, link) in links {
            if link.isTransient { return nil }
            let (own, other) = ("s\(number)", "s\(number + 1)")
            let next = layouts.source.entities[link.destination]
            if link.isToMany { isToOne = false }
            switch link.storage {
            case .foreignKey(let columns):
                if !(link.inverse != nil && !link.inverseIsToMany) { isApart = false }
                joins += " JOIN \(layout.table) AS \(own) ON \(layout.table.key(own)) = \(end)"
                end = "\(own).\(columns.column)"
                place = "CAST(NULL AS bigint)"
            case .inverse(let columns):
                joins += " JOIN \(columns.table) AS \(other)i ON \(other)i.\(columns.column) = \(end)"
                end = columns.table.key("\(other)i")
                place = columns.orderColumn.map { "\(other)i.\($0)" } ?? "CAST(NULL AS bigint)"
            case .join(let columns):
                isApart = false
                joins += " JOIN \(columns.table) AS \(other)j ON \(other)j.\(columns.ownColumn) = \(end)"
                end = "\(other)j.\(columns.otherColumn)"
                place = columns.orderColumn.map { "\(other)j.\($0)" } ?? "CAST(NULL AS bigint)"
            case .memory: return nil
            }
            layout = next
        }
        return (joins, end, place, isToOne, isApart, layout)
    }

    /// Returns the statement that writes pairs of owner and member, numbered by owner, to the relationship's
    /// storage.
    private func writing(_ links: String) -> String {
        let other = layouts.destination.entities[relationship.destination]
        switch relationship.storage {
        case .inverse(let columns):
            var settings = ["\(columns.column) = l.o"]
            if let entity = columns.entityColumn {
                settings.append("\(entity) = \(SQLLiteral.string(to.storedName))")
            }
            if let order = columns.orderColumn {
                settings.append("\(order) = l.n * \(SQLLiteral.integer(Int(OrderNumbers.step)))")
            }
            let rows =
                relationship.isToMany
                ? links : "SELECT DISTINCT ON (l.o) l.o, l.m, l.n FROM (\(links)) AS l ORDER BY l.o, l.n"
            return "UPDATE \(columns.table) AS d SET \(settings.joined(separator: ", ")) "
                + "FROM (SELECT DISTINCT ON (l.m) l.o, l.m, l.n FROM (\(rows)) AS l ORDER BY l.m, l.o DESC) AS l "
                + "WHERE \(columns.table.key("d")) = l.m"
        case .join(let columns): return insertion(links, columns, other)
        case .foreignKey, .memory: return ""
        }
    }

    /// Returns the statement that writes the member to the row of its owner: the first of several, by place
    /// and key.
    private func reference(_ pairs: String, _ columns: ForeignKeyColumns, isSingle: Bool) -> String {
        let other = layouts.destination.entities[relationship.destination]
        var settings = ["\(columns.column) = l.m"]
        var member = ""
        if let entity = columns.entityColumn, let discriminator = other.discriminator {
            settings.append("\(entity) = e.\(discriminator)")
            member = " JOIN \(other.table) AS e ON \(other.table.key("e")) = l.m"
        }
        let rows =
            isSingle
            ? pairs : "SELECT DISTINCT ON (l.o) l.o, l.m FROM (\(pairs)) AS l ORDER BY l.o, l.p, l.m"
        return "UPDATE \(to.table) AS d SET \(settings.joined(separator: ", ")) "
            + "FROM (\(rows)) AS l\(member) WHERE \(to.table.key("d")) = l.o"
    }

    private func insertion(_ links: String, _ columns: JoinColumns, _ other: EntityLayout) -> String {
        let step = SQLLiteral.integer(Int(OrderNumbers.step))
        var names = [columns.ownColumn, columns.otherColumn]
        var values = ["l.o", "l.m"]
        var member = ""
        if let entity = columns.ownEntityColumn {
            names.append(entity)
            values.append(SQLLiteral.string(to.storedName))
        }
        if let entity = columns.otherEntityColumn, let discriminator = other.discriminator {
            names.append(entity)
            values.append("e.\(discriminator)")
            member = " JOIN \(other.table) AS e ON \(other.table.key("e")) = l.m"
        }
        if let order = columns.orderColumn {
            names.append(order)
            values.append("l.n * \(step)")
        }
        if let order = columns.otherOrderColumn {
            names.append(order)
            values.append("pg_catalog.row_number() OVER (PARTITION BY l.m ORDER BY l.o) * \(step)")
        }
        let known = columns.orderColumn.map { "UPDATE SET \($0) = EXCLUDED.\($0)" } ?? "NOTHING"
        return "INSERT INTO \(columns.table) (\(names.joined(separator: ", "))) "
            + "SELECT \(values.joined(separator: ", ")) FROM "
            + "(SELECT l.o, l.m, pg_catalog.min(l.n) AS n FROM (\(links)) AS l GROUP BY l.o, l.m) AS l\(member) "
            + "ON CONFLICT (\(columns.ownColumn), \(columns.otherColumn)) DO \(known)"
    }
}

extension PredicateTree.Expression {
    /// The names from the object itself; nil for anything but a key path.
    fileprivate var keys: [String]? {
        switch self {
        case .evaluatedObject: []
        case .keyPath(let keys): keys
        default: nil
        }
    }
}
