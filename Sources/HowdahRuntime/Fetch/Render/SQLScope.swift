import HowdahModel
import PQClient

/// One FROM item and its to-one joins. A sub-query for a to-many step has a separate scope.
package final class SQLScope {
    /// The maximum number of joins of one FROM, and of tables of conditions that are planned with it.
    ///
    /// From some hundreds of tables on, planning takes minutes.
    static let joinLimit = 64
    /// The maximum number of tables of one statement with its sub-queries.
    ///
    /// Planning ten thousand takes the server two seconds, and memory for each.
    static let tableLimit = 10_000

    package let alias: String
    let layout: EntityLayout
    /// A Boolean value that indicates whether the statement had as many tables before this one as a FROM may
    /// have joins.
    let isLate: Bool
    private let layouts: [EntityLayout]
    private let counter: AliasCounter
    private var joined: [JoinKey: SQLScope] = [:]
    private(set) var joins: [String] = []
    private let parent: SQLScope?

    private struct JoinKey: Hashable {
        let alias: String
        let slot: Int
    }

    /// Counts aliases over a whole statement.
    package final class AliasCounter {
        private(set) var count = 0

        package init() {}

        func next() throws -> String {
            defer { count += 1 }
            guard count <= SQLScope.tableLimit else {
                throw FetchError(
                    .invalidRequest,
                    "The request follows more than \(SQLScope.tableLimit) relationships, including those of its "
                        + "sub-queries. Split it into several requests."
                )
            }
            return "t\(count)"
        }
    }

    package init(layout: EntityLayout, layouts: [EntityLayout], counter: AliasCounter) throws {
        self.layout = layout
        self.layouts = layouts
        self.counter = counter
        alias = try counter.next()
        isLate = counter.count > Self.joinLimit
        parent = nil
    }

    private init(layout: EntityLayout, in parent: SQLScope) throws {
        self.layout = layout
        layouts = parent.layouts
        counter = parent.counter
        alias = try counter.next()
        isLate = parent.isLate
        self.parent = parent
    }

    private init(rowsOf other: SQLScope) {
        layout = other.layout
        layouts = other.layouts
        counter = other.counter
        alias = other.alias
        isLate = other.isLate
        parent = nil
    }

    /// Returns the same rows in a sub-query next to the statement's FROM, with separate joins.
    package func apart() -> SQLScope { SQLScope(rowsOf: self) }

    /// Returns a computation from such rows, as one operand of the statement.
    package func alone(_ sql: String) -> String {
        joins.isEmpty ? sql : "(SELECT \(sql) FROM (SELECT 1) AS o \(joins.joined(separator: " ")))"
    }

    /// The number of tables in the statement so far.
    var tableCount: Int { counter.count }

    /// The key of the scope's rows.
    package var key: String { layout.table.key(alias) }

    /// Returns a scope for a sub-query over the members of a to-many relationship.
    func members(of relationship: RelationshipLayout) throws -> SQLScope {
        try beside(layouts[relationship.destination])
    }

    /// Returns a scope for a sub-query over the rows of an entity.
    func beside(_ layout: EntityLayout) throws -> SQLScope {
        try SQLScope(layout: layout, layouts: layouts, counter: counter)
    }

    /// The FROM clause with everything joined so far.
    package var from: String { " FROM \(item)" }

    /// The table with everything joined so far.
    package var item: String { (["\(layout.table) \(alias)"] + joins).joined(separator: " ") }

    /// Returns the scope of a to-one destination, joined once for any number of uses.
    func join(_ relationship: RelationshipLayout) throws -> SQLScope {
        let place = JoinKey(alias: alias, slot: relationship.slot)
        if let scope = joined[place] { return scope }
        let scope = try SQLScope(layout: layouts[relationship.destination], in: self)
        joined[place] = scope
        switch relationship.storage {
        case .foreignKey(let columns):
            try add(
                "LEFT JOIN \(scope.layout.table) \(scope.alias) ON \(scope.key) = \(alias).\(columns.column)"
            )
        case .inverse(let columns):
            try add(
                "LEFT JOIN \(columns.table) \(scope.alias) ON \(scope.alias).\(columns.column) = \(key)"
            )
        case .memory:
            throw FetchError(
                .invalidRequest,
                "\(layout.name).\(relationship.name) is transient and not stored. Filter after the fetch.")
        case .join:
            throw FetchError(
                .invalidRequest, "\(layout.name).\(relationship.name) is to-many. Use ANY, ALL or NONE.")
        }
        return scope
    }

    private func add(_ join: String) throws {
        if let parent { return try parent.add(join) }
        guard joins.count < SQLScope.joinLimit else {
            throw FetchError(
                .invalidRequest,
                "The request follows more than \(SQLScope.joinLimit) to-one relationships from the same rows. Split it "
                    + "into several requests."
            )
        }
        joins.append(join)
    }

    /// Returns the column with the members' places in an ordered relationship.
    func place(of relationship: RelationshipLayout, members: SQLScope) -> String? {
        guard relationship.isOrdered else { return nil }
        switch relationship.storage {
        case .inverse(let columns): return columns.orderColumn.map { "\(members.alias).\($0)" }
        case .join(let columns): return columns.orderColumn.map { "j\(members.alias).\($0)" }
        case .foreignKey, .memory: return nil
        }
    }

    /// Returns the condition that connects a sub-query's scope to this one, and the text before it in FROM.
    func correlation(
        of relationship: RelationshipLayout, members: SQLScope
    ) -> (join: String, condition: String) {
        switch relationship.storage {
        case .foreignKey(let columns):
            ("", "\(members.key) = \(alias).\(columns.column)")
        case .inverse(let columns):
            ("", "\(members.alias).\(columns.column) = \(key)")
        case .join(let columns):
            (
                " JOIN \(columns.table) j\(members.alias) ON j\(members.alias).\(columns.otherColumn) = "
                    + members.key,
                "j\(members.alias).\(columns.ownColumn) = \(key)"
            )
        case .memory: ("", SQLLiteral.null)
        }
    }
}
