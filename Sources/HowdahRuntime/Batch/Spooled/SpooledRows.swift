/// Reads the rows that a ``RowSpooler`` wrote.
struct SpooledRows {
    private let spool: Spool
    private var piece = SpooledValueReader([])

    init(_ spool: Spool) { self.spool = spool }

    /// Returns the next row, or nil after the last one.
    ///
    /// - Throws: `StoreError` with `temporaryFile`.
    mutating func next() throws -> SpooledRow? {
        if piece.isAtEnd {
            guard let bytes = try spool.next() else { return nil }
            piece = SpooledValueReader(bytes)
        }
        return SpooledRow(values: piece.sized())
    }
}
