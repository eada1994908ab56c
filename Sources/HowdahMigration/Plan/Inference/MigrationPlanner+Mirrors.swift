internal import HowdahModel
internal import HowdahSchema
internal import PQClient

/// A relationship that is its own inverse is stored in both directions.
extension MigrationPlanner {
    /// Writes the other direction of links whose relationship is its own inverse now, and was not before.
    mutating func mirrorLinks() {
        for column in toOneColumns where becomesOwnInverse(column.mapping.description, of: column.entity) {
            mirror(column)
        }
        for link in linkTables where becomesOwnInverse(link.mapping.description, of: link.entity) {
            mirror(link)
        }
    }

    /// Indicates whether a relationship is its own inverse, and has links that were stored in one direction only.
    func becomesOwnInverse(_ relationship: RelationshipDescription, of entity: String) -> Bool {
        guard Self.isOwnInverse(relationship, of: entity, in: pairing.new) else { return false }
        return linkSources(relationship, of: entity).contains { source in
            guard let before = source.mapping.relationship else { return false }
            return !Self.isOwnInverse(before, of: source.entity, in: pairing.old)
        }
    }

    private static func isOwnInverse(
        _ relationship: RelationshipDescription, of entity: String, in model: ManagedObjectModel
    ) -> Bool {
        guard relationship.inverse == relationship.name,
            let owner = model.declaration(of: relationship.name, in: entity)?.entity.name
        else { return false }
        return model.declaration(of: relationship.name, in: relationship.destination)?.entity.name == owner
    }

    private mutating func mirror(_ column: ToOneColumn) {
        guard let flow = flows[column.table], let owner = new.entities[column.entity] else { return }
        let (key, target, rows) = (quoted(owner.keyColumn), quoted(column.mapping.column), table(flow))
        let owners = pairing.new.descendants(of: column.entity).filter { !$0.isAbstract }
        check(
            .mirror, "no object has several objects in \(column.place)", flow,
            where: "t.\(key) IN (SELECT u.o FROM ("
                + "SELECT s.\(key) AS o, s.\(target) AS m FROM \(rows) AS s WHERE s.\(target) IS NOT NULL UNION "
                + "SELECT s.\(target), s.\(key) FROM \(rows) AS s WHERE s.\(target) IS NOT NULL) AS u "
                + "GROUP BY u.o HAVING pg_catalog.count(*) > 1)",
            entity: column.entity,
            fault:
                "\(column.place) is its own inverse and refers to at most one object, but there are several",
            remedy:
                "Give \(column.place) no inverse, or remove all but one of the references in an earlier stage",
            name: entityName(of: owners, owner.discriminator))
        flows[column.table]?.filled.insert(column.mapping.column)
        var values = ["\(target) = s.\(key)"]
        if let entity = column.mapping.entityColumn, let discriminator = owner.discriminator {
            values.append("\(quoted(entity)) = s.\(quoted(discriminator))")
        }
        add(
            .mirror, "\(column.place) is its own inverse", on: [column.table],
            [
                "UPDATE \(rows) AS t SET \(values.joined(separator: ", ")) FROM \(rows) AS s "
                    + "WHERE s.\(target) = t.\(key) AND t.\(target) IS NULL"
            ], lock: .rowExclusive)
    }

    private mutating func mirror(_ link: LinkTable) {
        guard let flow = flows[link.table] else { return }
        let (now, rows) = (link.mapping, table(flow))
        let (own, other) = (quoted(now.ownColumn), quoted(now.otherColumn))
        var targets = [own, other]
        var values = ["l.\(other)", "l.\(own)"]
        if let ownEntity = now.ownEntityColumn, let otherEntity = now.otherEntityColumn {
            targets += [quoted(ownEntity), quoted(otherEntity)]
            values += ["l.\(quoted(otherEntity))", "l.\(quoted(ownEntity))"]
        }
        if let order = now.ownOrderColumn.map(quoted) {
            targets.append(order)
            // After those that the list has.
            values.append(
                "COALESCE((SELECT pg_catalog.max(k.\(order)) FROM \(rows) AS k WHERE k.\(own) = l.\(other)), 0) "
                    + "+ 1048576 * pg_catalog.row_number() OVER (PARTITION BY l.\(other) ORDER BY l.\(own))")
        }
        add(
            .mirror, "\(link.entity).\(now.description.name) is its own inverse", on: [link.table],
            [
                "INSERT INTO \(rows) (\(targets.joined(separator: ", "))) "
                    + "SELECT \(values.joined(separator: ", ")) FROM \(rows) AS l WHERE NOT EXISTS ("
                    + "SELECT FROM \(rows) AS k WHERE k.\(own) = l.\(other) AND k.\(other) = l.\(own))"
            ], lock: .rowExclusive)
    }
}
