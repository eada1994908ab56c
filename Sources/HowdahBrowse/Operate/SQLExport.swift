import PQClient

/// The whole result of a query that a reader typed, for a file.
///
/// Nothing is left out without a word: a result that is too large is an error.
struct SQLExport: Sendable {
    let rows: [[String?]]

    static let rowLimit = 10_000
    static let byteLimit = 8 << 20

    /// Runs a query that is known to be a single complete one.
    ///
    /// - Throws: `BrowseError` if the result is too large; the errors of the server.
    init(_ text: String, columns count: Int, on connection: Connection) throws {
        let names = (0..<count).map { "c\($0)" }
        let texts = names.map { "q.\($0)::pg_catalog.text AS \($0)" }
        let sizes = names.map { "coalesce(pg_catalog.octet_length(t.\($0)), 0)::pg_catalog.int8" }
        // The server adds the sizes up, and sends no value beyond the limit.
        let cells = names.map { "CASE WHEN s.size <= \(Self.byteLimit) THEN s.\($0) END" }
        let found = try connection.query(
            """
            SELECT s.size <= \(Self.byteLimit), \(cells.joined(separator: ", ")) FROM (SELECT t.*, \
            pg_catalog.sum(\(sizes.joined(separator: " + "))) OVER (ROWS UNBOUNDED PRECEDING) AS size \
            FROM (SELECT \(texts.joined(separator: ", ")) FROM (\(text)
            ) q(\(names.joined(separator: ", ")))) t LIMIT \(Self.rowLimit + 1)) s
            """, cached: false)
        var rows: [[String?]] = []
        for index in 0..<found.rowCount {
            let row = found.row(index)
            guard row[0].isTrue, index < Self.rowLimit else {
                throw BrowseError(
                    400,
                    "The result has more than \(Figures.count(Self.rowLimit)) rows or "
                        + "\(Figures.bytes(Self.byteLimit)), which is the limit of this file. Narrow the query, or run "
                        + "\\copy (…) TO 'result.csv' CSV HEADER in psql.")
            }
            rows.append(names.indices.map { row[$0 + 1].isNull ? nil : row[$0 + 1].string() })
        }
        self.rows = rows
    }
}
