import HowdahModel
import PQClient

/// The SQL of a ``BrowseQuery`` and the reading of its rows.
struct BrowseStatement {
    let sql: String
    let parameters: Parameters
    let subject: StatementSubject
    private let query: BrowseQuery
    private let columns: [BrowseColumn]
    private let layout: EntityLayout
    private let layouts: StoreLayout
    private let cursors: CursorColumns

    /// - Throws: The errors of a fetch; `FetchError.invalidCursor`.
    init(_ query: BrowseQuery, _ layouts: StoreLayout) throws {
        self.query = query
        self.layouts = layouts
        layout = try layouts.required(query.entityName)
        var fetch = try Self.ordered(query, layout, layouts)
        let order = OrderIdentity(fetch)
        let cells = try query.cursor?.cells(for: order)
        if query.isBackward { fetch.reverse() }
        let ranges = cells.map { fetch.ranges(after: $0) } ?? []
        try Self.limit(&fetch, to: query, layouts)
        let resolver = KeyPathResolver(layouts: layouts.entities)
        let scope = fetch.scope
        columns = try query.columns.map { try BrowseColumn($0, cut: query.cut, in: scope, resolver) }
        var selected = [
            scope.key, layout.table.version?.compared(scope.alias) ?? "NULL::pg_catalog.int8",
            "pg_catalog.pg_current_snapshot()::pg_catalog.text",
        ]
        if let discriminator = layout.discriminator { selected.append("\(scope.alias).\(discriminator)") }
        cursors = CursorColumns(fetch.sources, order, limit: query.cursorLimit)
        selected += columns.flatMap(\.selected) + cursors.selected
        fetch.parameters.append(Int64(query.limit + 1))
        parameters = fetch.parameters
        sql = Self.sql(fetch, selected.joined(separator: ", "), ranges)
        subject = StatementSubject(.select, layout.table.subject)
    }

    /// Returns the SQL of a page. Each range of rows has its own branch, so that an index can start at it.
    private static func sql(_ fetch: RenderedFetch, _ selected: String, _ ranges: [String]) -> String {
        let limit = " LIMIT $\(fetch.parameters.count)"
        func branch(_ range: String?) -> String {
            var fetch = fetch
            if let range { fetch.require(range) }
            return "SELECT \(selected)\(fetch.scope.from)\(fetch.condition)"
                + " ORDER BY \(fetch.order.joined(separator: ", "))\(limit)"
        }
        guard ranges.count > 1 else { return branch(ranges.first) }
        // The server runs the branches in their order, and no more of them than the page needs.
        return ranges.map { "(\(branch($0)))" }.joined(separator: " UNION ALL ") + limit
    }

    /// Returns the SQL that counts the objects of a query, at most `limit`, and its parameters.
    ///
    /// The order and the position of the query do not matter.
    ///
    /// - Throws: The errors of a fetch.
    static func counting(
        _ query: BrowseQuery, upTo limit: Int, _ layouts: StoreLayout
    ) throws -> (sql: String, parameters: Parameters) {
        var (fetch, _) = try unordered(query, layouts)
        fetch.parameters.append(Int64(limit))
        let counted = "SELECT 1\(fetch.scope.from)\(fetch.condition) LIMIT $\(fetch.parameters.count)"
        return ("SELECT pg_catalog.count(*) FROM (\(counted)) c", fetch.parameters)
    }

    /// Returns the condition of a query and the layout of its entity.
    ///
    /// - Throws: The errors of a fetch.
    static func unordered(
        _ query: BrowseQuery, _ layouts: StoreLayout
    ) throws -> (fetch: RenderedFetch, EntityLayout) {
        var query = query
        query.sortDescriptors = []
        let layout = try layouts.required(query.entityName)
        var fetch = try ordered(query, layout, layouts)
        try limit(&fetch, to: query, layouts)
        return (fetch, layout)
    }

    /// Returns the condition and the order of a query.
    private static func ordered(
        _ query: BrowseQuery, _ layout: EntityLayout, _ layouts: StoreLayout
    ) throws -> RenderedFetch {
        var request = FetchRequest<ManagedObject>(entityName: query.entityName)
        if let error = query.predicate?.error { throw error }
        request.predicate = query.predicate
        request.sortDescriptors = query.sortDescriptors
        return try RenderedFetch(request, layout: layout, layouts: layouts.entities)
    }

    /// Leaves only the object with the key and the members that a query is limited to.
    private static func limit(
        _ fetch: inout RenderedFetch, to query: BrowseQuery, _ layouts: StoreLayout
    ) throws {
        if let key = query.key {
            fetch.parameters.append(key)
            fetch.require("\(fetch.scope.key) = $\(fetch.parameters.count)")
        }
        if let owner = query.owner { try limit(&fetch, to: owner, layouts) }
    }

    /// Leaves only the members of a to-many relationship of one object.
    private static func limit(
        _ fetch: inout RenderedFetch, to owner: BrowseQuery.Owner, _ layouts: StoreLayout
    ) throws {
        let source = try layouts.required(owner.entityName)
        guard let slot = source.slotsByName[owner.relationshipName],
            let relationship = source.slots[slot].relationship
        else {
            throw FetchError(
                .invalidRequest,
                "\(owner.entityName) has no relationship '\(owner.relationshipName)'. Name one of its "
                    + "relationships.")
        }
        fetch.parameters.append(owner.key)
        let key = "$\(fetch.parameters.count)"
        let scope = fetch.scope
        switch relationship.storage {
        case .inverse(let columns): fetch.require("\(scope.alias).\(columns.column) = \(key)")
        case .join(let columns):
            fetch.require(
                "EXISTS (SELECT 1 FROM \(columns.table) j WHERE j.\(columns.otherColumn) = \(scope.key) "
                    + "AND j.\(columns.ownColumn) = \(key))")
        case .foreignKey, .memory:
            throw FetchError(
                .invalidRequest,
                "\(owner.entityName).\(owner.relationshipName) has no stored members. Name a to-many "
                    + "relationship.")
        }
    }

    /// Runs the statement.
    func run(on connection: Connection) throws -> BrowsePage {
        let result = try connection.query(sql, parameters, cached: false, about: subject)
        let count = min(result.rowCount, query.limit)
        var rows: [BrowseRow] = []
        rows.reserveCapacity(count)
        for index in 0..<count { rows.append(try row(result.row(index))) }
        let hasMore = result.rowCount > query.limit
        var (first, last): (PageCursor?, PageCursor?) = (nil, nil)
        if count > 0 {
            first = cursors.cursor(in: result, row: 0)
            last = cursors.cursor(in: result, row: count - 1)
        }
        let snapshot = count > 0 ? result.row(0)[2].string() : nil
        guard query.isBackward else {
            let isLater = query.cursor != nil && count > 0
            return BrowsePage(
                rows: rows, hasNext: hasMore, hasPrevious: isLater, next: hasMore ? last : nil,
                previous: isLater ? first : nil, snapshot: snapshot)
        }
        return BrowsePage(
            rows: rows.reversed(), hasNext: count > 0, hasPrevious: hasMore, next: first,
            previous: hasMore ? last : nil, snapshot: snapshot)
    }

    private func row(_ row: Row) throws -> BrowseRow {
        var place = 3
        var entity = layout
        if layout.discriminator != nil {
            entity = layouts.layout(storedName: row[3].string()) ?? layout
            place = 4
        }
        let cells = try columns.map { column in
            defer { place += column.selected.count }
            return try column.cell(in: row, at: place, layouts: layouts)
        }
        return BrowseRow(
            key: row[0].int64, version: row[1].isNull ? nil : row[1].int64, entityName: entity.name,
            cells: cells)
    }
}
