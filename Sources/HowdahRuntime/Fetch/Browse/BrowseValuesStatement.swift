import HowdahModel
import PQClient

/// The SQL of ``BrowseValues`` and the reading of its rows.
struct BrowseValuesStatement {
    private let sql: String
    private let parameters: Parameters
    private let subject: StatementSubject
    private let columns: [BrowseColumn]
    private let layouts: StoreLayout

    /// - Throws: The errors of a fetch.
    init(_ query: BrowseQuery, among limit: Int, _ layouts: StoreLayout) throws {
        self.layouts = layouts
        var (fetch, layout) = try BrowseStatement.unordered(query, layouts)
        let resolver = KeyPathResolver(layouts: layouts.entities)
        let scope = fetch.scope
        columns = try query.columns.map { try BrowseColumn($0, cut: query.cut, in: scope, resolver) }
        // Values with the same beginning are different.
        let selected = columns.flatMap(\.selected).enumerated().map { "\($1) AS v\($0)" }
        let keys = columns.flatMap(\.grouped).enumerated().map { "\($1) AS g\($0)" }
        let values = selected.indices.map { "s.v\($0)" }
        let groups = keys.indices.map { "s.g\($0)" } + values
        fetch.parameters.append(Int64(limit))
        let objects =
            "SELECT \((selected + keys).joined(separator: ", "))\(fetch.scope.from)\(fetch.condition) "
            + "LIMIT $\(fetch.parameters.count)"
        fetch.parameters.append(Int64(query.limit))
        sql =
            "SELECT pg_catalog.count(*) AS c, (pg_catalog.sum(pg_catalog.count(*)) OVER ())::pg_catalog.int8, "
            + "pg_catalog.count(*) OVER (), \(values.joined(separator: ", ")) FROM (\(objects)) AS s "
            + "GROUP BY \(groups.joined(separator: ", ")) ORDER BY c DESC, \(values.joined(separator: ", ")) "
            + "LIMIT $\(fetch.parameters.count)"
        parameters = fetch.parameters
        subject = StatementSubject(.select, layout.table.subject)
    }

    func run(on connection: Connection) throws -> BrowseValues {
        let result = try connection.query(sql, parameters, cached: false, about: subject)
        let groups = try result.map { row in
            var place = 3
            let cells = try columns.map { column in
                defer { place += column.selected.count }
                return try column.cell(in: row, at: place, layouts: layouts)
            }
            return BrowseValues.Group(cells: cells, count: Int(row[0].int64))
        }
        return BrowseValues(
            groups: groups, objectCount: Int(result.first { $0[1].int64 } ?? 0),
            valueCount: Int(result.first { $0[2].int64 } ?? 0))
    }
}
