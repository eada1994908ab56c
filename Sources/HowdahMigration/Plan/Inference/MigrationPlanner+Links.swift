internal import HowdahModel
internal import HowdahSchema
internal import PQClient

extension MigrationPlanner {
    /// A to-one relationship of the new model that its owner's row holds.
    struct ToOneColumn {
        let entity: String
        let mapping: ToOneMapping
        let order: String?
        let table: String
        let sources: [LinkSource]

        var place: String { "\(entity).\(mapping.description.name)" }

        /// Whether some links come from elsewhere than a column of the owner's row.
        var movesLinks: Bool { sources.contains { !$0.isInOwnersRow } }
    }

    /// Each declared one, by entity and name.
    var toOneColumns: [ToOneColumn] {
        pairing.new.entities.sorted { $0.name < $1.name }.flatMap { entity in
            entity.properties.map(\.name).sorted().compactMap { name -> ToOneColumn? in
                guard let owner = new.entities[entity.name],
                    case .toOne(let mapping)? = owner.property(named: name)?.mapping
                else { return nil }
                return ToOneColumn(
                    entity: entity.name, mapping: mapping,
                    order: newUses.column(.order(name), of: entity.name),
                    table: owner.table, sources: linkSources(mapping.description, of: entity.name))
            }
        }
    }

    mutating func moveLinks() {
        for column in toOneColumns {
            for source in column.sources where !source.isInOwnersRow || isTaken(source, by: column) {
                moveLinks(from: source, to: column)
            }
        }
        for link in linkTables {
            for source in linkSources(link.mapping.description, of: link.entity)
            where flows[link.table]?.old?.name != source.storage[0] {
                copyLinks(from: source, to: link)
            }
        }
    }

    /// Indicates whether the links are in a column of the owner's row that another relationship continues: the inverse has moved
    /// to several sub-entities, each with a separate to-one.
    private func isTaken(_ source: LinkSource, by column: ToOneColumn) -> Bool {
        let name = column.mapping.description.name
        guard source.isReversed, let before = source.ownerProperty,
            pairing.source(of: name, in: column.entity) == nil
        else { return false }
        return pairing.new.properties(of: column.entity).contains {
            $0.name != name && pairing.source(of: $0.name, in: column.entity)?.name == before
        }
    }

    private mutating func moveLinks(from source: LinkSource, to column: ToOneColumn) {
        guard let flow = flows[column.table], let owner = new.entities[column.entity] else { return }
        let links = selection(of: source)
        let key = "t.\(quoted(owner.keyColumn))"
        let target = quoted(column.mapping.column)
        check(
            .links, "no object has several objects in \(column.place)", flow,
            where: "EXISTS (SELECT FROM (\(links)) AS l WHERE l.o = \(key) "
                + "GROUP BY l.o HAVING pg_catalog.count(*) > 1)", entity: column.entity,
            fault: "\(column.place) refers to at most one object, but there are several",
            remedy: "Keep \(column.place) to-many, or remove all but one object from it in an earlier stage")
        if column.sources.count > 1 {
            check(
                .links, "\(column.place) and its inverse agree", flow,
                where: "EXISTS (SELECT FROM (\(links)) AS l WHERE l.o = \(key) AND l.m <> t.\(target))",
                entity: column.entity, fault: "\(column.place) and its inverse refer to different objects",
                remedy: "Set \(column.place) and its inverse to the same objects in an earlier stage")
        }
        flows[column.table]?.filled.insert(column.mapping.column)
        let order = column.order.map { ", \(quoted($0)) = l.q" } ?? ""
        let rows = filter(members(of: column.entity), in: column.table).map { " AND \($0)" } ?? ""
        add(
            .links, "references of \(column.place)", on: [column.table, source.storage[0]],
            [
                "UPDATE \(table(flow)) AS t SET \(target) = l.m\(order) FROM (\(links)) AS l "
                    + "WHERE l.o = \(key) AND t.\(target) IS NULL\(rows)"
            ], lock: .rowExclusive)
    }

    /// Whether links are written before their table has its primary key, which then costs half as much. What comes
    /// from several sources may come twice, and needs the key to find that out.
    func isKeyedLate(_ flow: TableFlow) -> Bool {
        if keysLate, flow.old == nil, !flow.isLinks { return true }
        guard flow.old == nil, flow.isLinks,
            let link = linkTables.first(where: { $0.table == flow.new.name })
        else { return false }
        return linkSources(link.mapping.description, of: link.entity).count == 1
    }

    private func members(of entity: String) -> [String] {
        pairing.new.descendants(of: entity).filter { !$0.isAbstract }.map(\.name)
    }

    private mutating func copyLinks(from source: LinkSource, to link: LinkTable) {
        let now = link.mapping
        guard let flow = flows[link.table], let owner = new.entities[link.entity],
            let member = new.entities[now.description.destination]
        else { return }
        var targets = [now.ownColumn, now.otherColumn]
        var values = ["l.o", "l.m"]
        for (column, value) in [
            (now.ownEntityColumn, "o.\(quoted(StoreSchema.entityColumn))"),
            (now.otherEntityColumn, "m.\(quoted(StoreSchema.entityColumn))"),
            (now.ownOrderColumn, "COALESCE(l.p, 0)"), (now.otherOrderColumn, "COALESCE(l.q, 0)"),
        ] {
            guard let column else { continue }
            targets.append(column)
            values.append(value)
        }
        let rows = [
            filter(
                members(of: link.entity), in: owner.table, alias: "o",
                leaving: flows[owner.table]?.movesRows ?? false),
            filter(
                members(of: now.description.destination), in: member.table, alias: "m",
                leaving: flows[member.table]?.movesRows ?? false),
        ].compactMap { $0 }
        let condition = rows.isEmpty ? "" : " WHERE \(rows.joined(separator: " AND "))"
        add(
            .links, "references of \(link.entity).\(now.description.name)",
            on: [link.table, source.storage[0]],
            [
                "INSERT INTO \(table(flow)) (\(targets.map(quoted).joined(separator: ", "))) "
                    + "SELECT \(values.joined(separator: ", ")) FROM (\(selection(of: source))) AS l "
                    + "JOIN \(SQLIdentifier.quoted(namespace, owner.table)) AS o ON o.\(quoted(owner.keyColumn)) = l.o "
                    + "JOIN \(SQLIdentifier.quoted(namespace, member.table)) AS m ON m.\(quoted(member.keyColumn)) = l.m"
                    + condition + (isKeyedLate(flow) ? "" : " ON CONFLICT DO NOTHING")
            ], lock: .rowExclusive)
    }

    // MARK: - References

    /// A column of the new schema whose references, or some of them, were there before.
    struct KeptReference {
        let table: String
        let column: String
        /// The columns that are NULL with it.
        let companions: [String]
        let entity: String
        let place: String
        let destination: String
        let oldDestination: String
        /// The property of the old destination that was the inverse.
        let oldInverse: String?
    }

    var keptReferences: [KeptReference] {
        let columns = toOneColumns.compactMap { column in
            column.sources.first.map {
                KeptReference(
                    table: column.table, column: column.mapping.column,
                    companions: [column.mapping.entityColumn, column.order].compactMap { $0 },
                    entity: column.entity, place: column.place,
                    destination: column.mapping.description.destination, oldDestination: $0.destination,
                    oldInverse: $0.destinationProperty)
            }
        }
        let links = linkTables.flatMap { link -> [KeptReference] in
            guard let source = linkSource(link.mapping.description, of: link.entity) else { return [] }
            let place = "\(link.entity).\(link.mapping.description.name)"
            return [
                KeptReference(
                    table: link.table, column: link.mapping.ownColumn, companions: [], entity: link.entity,
                    place: place, destination: link.entity, oldDestination: source.owner,
                    oldInverse: source.ownerProperty),
                KeptReference(
                    table: link.table, column: link.mapping.otherColumn, companions: [], entity: link.entity,
                    place: place, destination: link.mapping.description.destination,
                    oldDestination: source.destination, oldInverse: source.destinationProperty),
            ]
        }
        return columns + links
    }

    /// Writes the entity of members beside their keys where it was not known, or is called otherwise now.
    mutating func tellEntities() {
        for column in toOneColumns {
            guard let entityColumn = column.mapping.entityColumn, let flow = flows[column.table] else {
                continue
            }
            tellEntity(
                flow, key: column.mapping.column, entityColumn, column.mapping.description.destination,
                column.place, isMoved: column.movesLinks)
        }
        for link in linkTables {
            guard let flow = flows[link.table], flow.old != nil else { continue }
            let place = "\(link.entity).\(link.mapping.description.name)"
            if let column = link.mapping.ownEntityColumn {
                tellEntity(flow, key: link.mapping.ownColumn, column, link.entity, place, isMoved: false)
            }
            if let column = link.mapping.otherEntityColumn {
                tellEntity(
                    flow, key: link.mapping.otherColumn, column, link.mapping.description.destination, place,
                    isMoved: false)
            }
        }
    }

    private mutating func tellEntity(
        _ flow: TableFlow, key: String, _ column: String, _ destination: String, _ place: String,
        isMoved: Bool
    ) {
        guard let target = new.entities[destination], flow.old != nil || isMoved || flow.movesRows else {
            return
        }
        let isRenamed = pairing.new.descendants(of: destination).contains { member in
            pairing.source(ofEntity: member.name).flatMap { pairing.old[$0]?.storedName }
                .map { $0 != member.storedName } ?? false
        }
        guard isMoved || flow.movesRows || flow.kept[column] == nil || isRenamed else { return }
        let entity = quoted(StoreSchema.entityColumn)
        add(
            .entityColumns, "entities of \(place)", on: [flow.new.name],
            [
                "UPDATE \(table(flow)) AS t SET \(quoted(column)) = d.\(entity) "
                    + "FROM \(SQLIdentifier.quoted(namespace, target.table)) AS d "
                    + "WHERE d.\(quoted(target.keyColumn)) = t.\(quoted(key)) "
                    + "AND t.\(quoted(column)) IS DISTINCT FROM d.\(entity)"
            ], lock: .rowExclusive)
    }

    /// Gives members of lists that had no order one: by their keys.
    mutating func numberMembers() {
        for column in toOneColumns {
            guard let order = column.order, let flow = flows[column.table], !column.sources.isEmpty else {
                continue
            }
            let isKnown =
                flow.kept[order] != nil
                || concreteEntities(in: column.table).contains {
                    columnSource(.order(column.mapping.description.name), $0.name) != nil
                }
            number(
                flow, order: order, by: column.mapping.column, then: flow.new.primaryKey[0], column.place,
                onlyMissing: true, isKnown: isKnown && !column.movesLinks)
        }
        for link in linkTables {
            guard let flow = flows[link.table] else { continue }
            let place = "\(link.entity).\(link.mapping.description.name)"
            let sources = linkSources(link.mapping.description, of: link.entity)
            guard let source = sources.first else { continue }
            let before = orders(of: source)
            if let order = link.mapping.ownOrderColumn {
                number(
                    flow, order: order, by: link.mapping.ownColumn, then: link.mapping.otherColumn, place,
                    onlyMissing: false, isKnown: before.own)
            }
            if let order = link.mapping.otherOrderColumn {
                number(
                    flow, order: order, by: link.mapping.otherColumn, then: link.mapping.ownColumn, place,
                    onlyMissing: false, isKnown: before.other)
            }
        }
    }

    /// Whether links knew their places among the owner's, and among the member's.
    private func orders(of source: LinkSource) -> (own: Bool, other: Bool) {
        let sides: (Bool, Bool) =
            switch source.mapping {
            case .toOne(let mapping):
                (false, oldUses.column(.order(mapping.description.name), of: source.entity) != nil)
            case .inverse(let mapping): (mapping.orderColumn != nil, false)
            case .join(let mapping): (mapping.ownOrderColumn != nil, mapping.otherOrderColumn != nil)
            case .attribute, .transient: (false, false)
            }
        return source.isReversed ? (sides.1, sides.0) : sides
    }

    private mutating func number(
        _ flow: TableFlow, order: String, by owner: String, then member: String, _ place: String,
        onlyMissing: Bool, isKnown: Bool
    ) {
        if isKnown { return }
        let (owner, member, order) = (quoted(owner), quoted(member), quoted(order))
        let missing = onlyMissing ? " AND t.\(order) IS NULL" : ""
        add(
            .order, "places in the list of \(place)", on: [flow.new.name],
            [
                "UPDATE \(table(flow)) AS t SET \(order) = n.place * 1048576 FROM (SELECT s.\(owner) AS o, s.\(member) AS m, "
                    + "pg_catalog.row_number() OVER (PARTITION BY s.\(owner) ORDER BY s.\(member)) AS place "
                    + "FROM \(table(flow)) AS s WHERE s.\(owner) IS NOT NULL) AS n "
                    + "WHERE n.o = t.\(owner) AND n.m = t.\(member)\(missing)"
            ], lock: .rowExclusive)
    }
}
