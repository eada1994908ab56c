import HowdahMigration
import HowdahModel
import HowdahRuntime
import PQClient

/// The statements that end the passes.
///
/// They set the places of members that only their own side added to an ordered list. They also set the
/// versions of objects that kept their ids and were created one by one.
struct ListStatements {
    let layouts: MappingLayouts

    /// The statements that place new members after those that have a place, by their keys.
    var places: [MappedStatement] {
        var seen: Set<String> = []
        var statements: [MappedStatement] = []
        let step = SQLLiteral.integer(Int(OrderNumbers.step))
        for layout in layouts.destination.entities {
            for relationship in layout.relationshipSlots.map(layout.relationship) {
                guard case .inverse(let columns) = relationship.storage, let order = columns.orderColumn,
                    seen.insert("\(columns.table).\(order)").inserted
                else { continue }
                let (key, owner) = (columns.table.key.name, columns.column)
                statements.append(
                    MappedStatement(
                        "UPDATE \(columns.table) AS t SET \(order) = n.place FROM (SELECT s.\(key) AS k, "
                            + "COALESCE(pg_catalog.max(s.\(order)) OVER (PARTITION BY s.\(owner)), 0) "
                            + "+ pg_catalog.row_number() OVER (PARTITION BY s.\(owner), s.\(order) IS NULL ORDER BY s.\(key)) "
                            + "* \(step) AS place FROM \(columns.table) AS s WHERE s.\(owner) IS NOT NULL) AS n "
                            + "WHERE n.k = t.\(key) AND t.\(order) IS NULL"))
            }
        }
        return statements
    }

    func versions(of entry: MappingLayouts.Entry) -> MappedStatement? {
        guard entry.keepsIDs, let from = entry.source, let to = entry.destination,
            let before = from.table.version, let version = to.table.version
        else { return nil }
        let (source, destination) = (MappedPairs.source, MappedPairs.destination)
        return MappedStatement(
            "UPDATE \(to.table) AS d SET \(version.name) = s.\(before.name) + 1 FROM "
                + layouts.pairs.joined("\(from.table) AS s", from.table.key("s"), entry)
                + " AND a.\(source) = a.\(destination) "
                + "AND \(to.table.key("d")) = a.\(destination)")
    }
}
