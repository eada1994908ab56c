import HowdahRuntime
import PQClient

/// The run of one query that a reader typed.
struct SQLRun: Sendable {
    let columns: [String]
    /// For each column, whether its type is one of texts.
    let areTexts: [Bool]
    let rows: [[String?]]
    let isCut: Bool
    let plan: [String]
    /// The time from sending the query to its last row.
    let time: Duration

    static let rowLimit = 1_000
    /// The number of bytes of all values, after which rows are left out.
    static let byteLimit = 1 << 20
    /// The number of characters to which values are cut: fewer if there are many columns.
    let valueLimit: Int

    /// Runs a query in a read-only transaction.
    ///
    /// First the server declares a cursor for exactly this text. That succeeds only for a single complete query, so
    /// the text cannot end the statements that contain it afterwards.
    ///
    /// - Throws: `BrowseError` if a result as CSV is too large; the errors of the server.
    init(_ text: String, as action: SQLForm.Action, on connection: Connection) throws {
        // A function can change the session or lock something for it, and a rollback leaves that: the pool cleans it.
        connection.mayBeChanged = true
        self = try Self.releasingLocks(on: connection) {
            try SQLRun(running: text, as: action, on: connection)
        }
    }

    /// Runs `body`, and releases advisory locks that the query took for its session if a pooler gives the session to
    /// other programs.
    private static func releasingLocks(
        on connection: Connection, _ body: () throws -> SQLRun
    ) throws -> SQLRun {
        guard connection.isPooled else { return try body() }
        _ = try connection.query("SAVEPOINT howdah_browse", cached: false)
        let result = Result { try body() }
        do {
            _ = try connection.query("ROLLBACK TO SAVEPOINT howdah_browse", cached: false)
            _ = try connection.query("SELECT pg_catalog.pg_advisory_unlock_all()", cached: false)
        } catch {
            // The error of the query says more.
            _ = try result.get()
            throw error
        }
        return try result.get()
    }

    private init(running text: String, as action: SQLForm.Action, on connection: Connection) throws {
        _ = try connection.query("DECLARE howdah_browse NO SCROLL CURSOR FOR \(text)", cached: false)
        _ = try connection.query("CLOSE howdah_browse", cached: false)
        let options = action == .analyze ? "(ANALYZE, BUFFERS) " : ""
        plan = try connection.query("EXPLAIN \(options)\(text)", cached: false).map { $0[0].string() }
        let returnsRows = action == .run || action == .csv
        let found =
            try returnsRows
            ? connection.query("SELECT * FROM (\(text)\n) q LIMIT 0", cached: false).columns : []
        let names = found.map(\.name)
        columns = names
        areTexts = found.map { CSVText.isText($0.type) }
        valueLimit = max(20, min(2_000, 10_000 / max(names.count, 1)))
        let start = ContinuousClock.now
        if names.isEmpty {
            (rows, isCut) = ([], false)
        } else if action == .csv {
            (rows, isCut) = (try SQLExport(text, columns: names.count, on: connection).rows, false)
        } else {
            (rows, isCut) = try Self.shown(text, columns: names.count, cut: valueLimit, on: connection)
        }
        time = ContinuousClock.now - start
    }

    /// Returns the rows of a page, whose values are cut.
    private static func shown(
        _ text: String, columns count: Int, cut: Int, on connection: Connection
    ) throws -> (rows: [[String?]], isCut: Bool) {
        let names = (0..<count).map { "c\($0)" }
        let cells = names.map { "pg_catalog.left(q.\($0)::pg_catalog.text, \(cut + 1))" }
        let found = try connection.query(
            "SELECT \(cells.joined(separator: ", ")) FROM (\(text)\n) q(\(names.joined(separator: ", "))) "
                + "LIMIT \(rowLimit + 1)", cached: false
        )
        var rows: [[String?]] = []
        var left = byteLimit
        for index in 0..<min(found.rowCount, rowLimit) where left > 0 {
            let row = found.row(index)
            let cells = names.indices.map { row[$0].isNull ? nil : row[$0].string() }
            left -= cells.reduce(0) { $0 + ($1?.utf8.count ?? 0) }
            rows.append(cells)
        }
        return (rows, found.rowCount > rows.count)
    }
}
