import PQClient

/// The query for locked rows that a batch deletion left in their tables, although references to them were cleared.
///
/// A policy for DELETE or a trigger keeps a row. Or another session has just removed the link of a cascade.
struct RemainingRows {
    private let statement: SaveStatement
    private let table: StoredTable
    private let count: Int

    /// - Parameters:
    ///   - deleted: The keys of rows by table.
    ///   - table: The table of the rows that the request names.
    init(_ deleted: [StoredTable: [Int64]], of table: StoredTable) {
        let others = deleted.keys.filter { $0 != table }
        var parameters = Parameters()
        let columns = ([table] + others).enumerated().map { place, table in
            parameters.append(deleted[table] ?? [])
            return "EXISTS (SELECT FROM \(table) d WHERE \(table.key("d")) = ANY($\(place + 1)))"
        }
        statement = SaveStatement(
            "SELECT \(columns.joined(separator: ", "))", parameters, about: .init(.select)
        )
        (self.table, count) = (table, columns.count)
    }

    /// - Throws: `SaveError` with `database` if rows of the request remain, and with `serializationFailure` if others
    ///   do.
    func check(in transaction: SaveTransaction) throws {
        let remain =
            try transaction.run([statement])[0].first { row in (0..<count).map { row[$0].bool } } ?? []
        if remain.first == true {
            throw SaveError(
                .database,
                "A row security policy or a trigger of \(table) keeps a row that the batch deletion should delete. "
                    + "Nothing was deleted. Exclude the row with the predicate, or change the policy or the trigger."
            )
        }
        if remain.contains(true) {
            throw SaveError(
                .serializationFailure,
                "While the batch deletion waited, another session changed which rows a cascade reaches. Nothing was "
                    + "deleted. Execute the request again.")
        }
    }
}
