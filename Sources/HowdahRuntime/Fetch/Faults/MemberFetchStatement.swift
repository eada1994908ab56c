import HowdahModel
import PQClient

/// The SQL of a fetch of several owners' members; a value that you can print and test without a server.
///
/// Column 0 is the owner's key. If the list's own order is requested, column 1 is the member's number. Then
/// the member's select list follows. The members of each owner are in order, those of different owners in
/// any.
struct MemberFetchStatement {
    let sql: String
    let parameters: Parameters
    /// The first column of the member's select list.
    let firstColumn: Int

    /// - Parameters:
    ///   - isListed: Indicates whether members are in the order of their list.
    ///   - limit: The limit for each owner; 0 for none. `offset` is for each owner too.
    ///   - rows: The maximum number of rows.
    init(
        _ fetch: RenderedFetch, along relationship: RelationshipLayout, selection: SelectList,
        of keys: [Int64],
        isListed: Bool, limit: Int, offset: Int, atMost rows: Int
    ) {
        let (join, owner, number) = Self.way(of: relationship, from: fetch.scope)
        var parameters = fetch.parameters
        func place(_ value: Int) -> String {
            parameters.append(Int64(value))
            return "$\(parameters.count)"
        }
        parameters.append(keys)
        let owners = "$\(parameters.count)"
        let isCut = limit > 0 || offset > 0
        firstColumn = isListed ? 2 : 1
        let order = isListed ? ["\(number ?? SQLLiteral.null) NULLS FIRST", fetch.scope.key] : fetch.order
        let condition = fetch.condition.isEmpty ? " WHERE " : fetch.condition + " AND "
        let columns =
            (isListed ? "\(number ?? SQLLiteral.null), " : "") + selection.text(alias: fetch.scope.alias)
        var members = "\(columns)\(fetch.scope.from)\(join)\(condition)"
        members += isCut ? "\(owner) = o.key" : "\(owner) = ANY(\(owners))"
        members += " ORDER BY " + order.joined(separator: ", ")
        if limit > 0 { members += " LIMIT \(place(limit))" }
        if offset > 0 { members += " OFFSET \(place(offset))" }
        // A window function would number all members of an owner before it drops most of them; this stops at the limit
        // wherever an index has the order, and sorts no more than the limit elsewhere.
        sql =
            isCut
            ? "SELECT o.key, m.* FROM pg_catalog.unnest(\(owners)::pg_catalog.int8[]) AS o(key) "
                + "CROSS JOIN LATERAL (SELECT \(members)) AS m LIMIT \(place(rows))"
            : "SELECT \(owner), \(members) LIMIT \(place(rows))"
        self.parameters = parameters
    }

    /// Returns the join from a member to its owner: another FROM item, the owner's key, and the member's
    /// number.
    private static func way(
        of relationship: RelationshipLayout, from scope: SQLScope
    ) -> (join: String, owner: String, number: String?) {
        switch relationship.storage {
        case .inverse(let columns), .foreignKey(let columns):
            (
                "", "\(scope.alias).\(columns.column)",
                columns.orderColumn.map { "\(scope.alias).\($0)" }
            )
        case .join(let columns):
            (
                " JOIN \(columns.table) j ON j.\(columns.otherColumn) = \(scope.key)",
                "j.\(columns.ownColumn)",
                columns.orderColumn.map { "j.\($0)" }
            )
        // Asked for by nobody: such members are in memory.
        case .memory: ("", SQLLiteral.null, nil)
        }
    }
}

extension MemberFetchStatement: CustomStringConvertible {
    var description: String { sql }
}
