import HowdahModel
import PQClient

/// The statements that follow one relationship from many owners at once; `$1` is the array of their keys.
struct MemberStatement {
    private let relationship: RelationshipLayout
    private let destination: EntityLayout

    init(_ relationship: RelationshipLayout, _ layouts: [EntityLayout]) {
        self.relationship = relationship
        destination = layouts[relationship.destination]
    }

    /// Returns the statement for members; `$2` limits the number of rows.
    ///
    /// Column 0 is the owner's key. If members are ordered, column 1 is their number. Then the member's
    /// select list follows. Only ordered members are sorted: sorting takes the server longer than finding
    /// them.
    func members(_ selection: SelectList, keys: String = "$1", limit: String = "$2") -> String {
        let (from, owner, order) = parts
        let number = order.map { "\($0), " } ?? ""
        let key = destination.table.key("t0")
        let sorted = order.map { " ORDER BY \(owner), \($0) NULLS FIRST, \(key)" } ?? ""
        return
            "SELECT \(owner), \(number)\(selection.text(alias: "t0"))\(from) WHERE \(owner) = ANY(\(keys))\(sorted) LIMIT \(limit)"
    }

    /// The statement for owner's key and member's key, in the order of an ordered collection.
    var memberKeys: String {
        let (from, owner, order) = parts
        let key = destination.table.key("t0")
        let sorted = order.map { " ORDER BY \(owner), \($0) NULLS FIRST, \(key)" } ?? ""
        return "SELECT \(owner), \(key)\(from) WHERE \(owner) = ANY($1)\(sorted)"
    }

    /// The statement for owner's key and number of members, for owners that have any.
    var counts: String {
        let (from, owner, _) = parts
        return "SELECT \(owner), pg_catalog.count(*)\(from) WHERE \(owner) = ANY($1) GROUP BY \(owner)"
    }

    /// The statement that returns a row if `$2` is a member of `$1`.
    var membership: String {
        let (from, owner, _) = parts
        return "SELECT 1\(from) WHERE \(owner) = $1 AND \(destination.table.key("t0")) = $2"
    }

    /// The first column of the member's select list.
    var firstColumn: Int { relationship.isOrdered ? 2 : 1 }

    private var parts: (from: String, owner: String, order: String?) {
        let key = destination.table.key("t0")
        return switch relationship.storage {
        case .inverse(let columns):
            (" FROM \(destination.table) t0", "t0.\(columns.column)", columns.orderColumn.map { "t0.\($0)" })
        case .join(let columns):
            (
                " FROM \(columns.table) j JOIN \(destination.table) t0 ON \(key) = j.\(columns.otherColumn)",
                "j.\(columns.ownColumn)", columns.orderColumn.map { "j.\($0)" }
            )
        case .foreignKey(let columns):
            (
                " FROM \(columns.table) o JOIN \(destination.table) t0 ON \(key) = o.\(columns.column)",
                columns.table.key("o"), nil
            )
        // Its members are always loaded, so that nothing is asked.
        case .memory: (" FROM \(destination.table) t0", SQLLiteral.null, nil)
        }
    }
}
