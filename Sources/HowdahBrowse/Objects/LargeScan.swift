import PQClient

/// A scan that reads more than 10,000 rows of a table for one page.
struct LargeScan {
    let table: String
    let rows: Int

    /// Reads the server's estimate of the rows; nil if the plan has no such scan.
    init?(_ plan: PlanText, limit: Int, isFull: Bool, in schemaName: String, on connection: Connection) throws
    {
        guard let table = plan.scannedTable else { return nil }
        var parameters = Parameters()
        try parameters.append(table)
        try parameters.append(schemaName)
        let found = try connection.query(
            "SELECT c.reltuples::pg_catalog.int8 FROM pg_catalog.pg_class c "
                + "JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE c.relname = $1 AND n.nspname = $2",
            parameters, cached: false
        ).map { Double($0[0].int64) * plan.shareRead(forPageOf: limit, isFull: isFull) }
        guard let rows = found.first, rows > 10_000 else { return nil }
        (self.table, self.rows) = (table, Int(rows))
    }

    /// The words about the scan.
    func warning(_ advice: IndexAdvice) -> String {
        let rows = "The server reads about \(Figures.count(rows)) rows of the table \(table) for this page."
        let patterns = advice.patterns.map { "\(rows) No fetch index serves \($0) in a filter. " } ?? ""
        guard let names = advice.words else {
            return patterns.isEmpty
                ? "\(rows) Narrow the filter, or sort by a property with a fetch index."
                : "\(patterns)Add a condition with another property, or use BEGINSWITH."
        }
        return "\(patterns.isEmpty ? rows + " " : patterns)Add a fetch index for \(names)."
    }
}
