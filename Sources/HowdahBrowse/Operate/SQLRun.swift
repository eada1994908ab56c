import HowdahRuntime
import PQClient

/// The run of one query that a reader typed.
struct SQLRun: Sendable {
    let columns: [String]
    let rows: [[String?]]
    let isCut: Bool
    let plan: [String]

    static let rowLimit = 1_000
    /// The number of characters to which values are cut.
    static let valueLimit = 2_000

    /// Runs a query in a read-only transaction.
    ///
    /// First the server declares a cursor for exactly this text. That succeeds only for a single complete query, so
    /// the text cannot end the statements that contain it afterwards.
    init(_ text: String, on connection: Connection) throws {
        // A function can change the session or lock something for it, and a rollback leaves that: the pool cleans it.
        connection.mayBeChanged = true
        _ = try connection.query("DECLARE howdah_browse NO SCROLL CURSOR FOR \(text)", cached: false)
        _ = try connection.query("CLOSE howdah_browse", cached: false)
        plan = try connection.query("EXPLAIN \(text)", cached: false).map { $0[0].string() }
        columns = try connection.query("SELECT * FROM (\(text)\n) q LIMIT 0", cached: false).columns.map(
            \.name)
        guard !columns.isEmpty else {
            (rows, isCut) = ([], false)
            return
        }
        let names = columns.indices.map { "c\($0)" }
        let cells = names.map { "pg_catalog.left(q.\($0)::pg_catalog.text, \(Self.valueLimit + 1))" }
        let found = try connection.query(
            "SELECT \(cells.joined(separator: ", ")) FROM (\(text)\n) q(\(names.joined(separator: ", "))) "
                + "LIMIT \(Self.rowLimit + 1)", cached: false
        ).map { row in names.indices.map { row[$0].isNull ? nil : row[$0].string() } }
        rows = Array(found.prefix(Self.rowLimit))
        isCut = found.count > Self.rowLimit
    }
}
