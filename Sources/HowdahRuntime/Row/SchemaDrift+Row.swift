import PQClient

extension Row {
    /// Returns the integer of one of the store's own columns.
    ///
    /// - Throws: `FetchError.schemaMismatch` for NULL: the table was altered since the store was opened, or
    ///   is a view.
    @inline(__always)
    func integer(_ place: Int, _ column: String, of layout: EntityLayout) throws -> Int64 {
        let cell = self[place]
        if cell.isNull { throw FetchError.missing(column, of: layout) }
        return cell.int64
    }
}

extension FetchError {
    static func missing(_ column: String, of layout: EntityLayout) -> FetchError {
        FetchError(
            .schemaMismatch,
            "A row of \(layout.name)'s table has NULL in \(column). Set a value in SQL, and make the column NOT NULL "
                + "again."
        )
    }
}
