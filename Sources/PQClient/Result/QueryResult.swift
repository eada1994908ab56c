internal import CLibPQ

/// The rows that a statement returned, in binary; it outlives its connection.
///
/// Rows are views into the result: keep the result alive as long as one is in use. ``forEachRow(_:)`` and
/// ``map(_:)`` do so.
public final class QueryResult {
    /// The name and type of a column.
    public struct Column: Hashable, Sendable {
        /// The name that the statement gave.
        public let name: String
        /// The type that the server sends.
        public let type: OID
    }

    private let handle: OpaquePointer
    private let cells: UnsafeMutablePointer<Cell>
    /// The number of rows.
    public let rowCount: Int
    /// The number of columns.
    public let columnCount: Int

    /// Creates a result that owns a result of libpq.
    init(handle: OpaquePointer) {
        self.handle = handle
        rowCount = Int(PQntuples(handle))
        columnCount = Int(PQnfields(handle))
        cells = .allocate(capacity: max(1, columnCount))
        cells.initialize(repeating: Cell(start: nil, length: -1), count: max(1, columnCount))
    }

    deinit {
        cells.deallocate()
        PQclear(handle)
    }

    /// The columns, in the order of the cells.
    public var columns: [Column] {
        (0..<Int32(columnCount)).map { index in
            Column(
                name: PQfname(handle, index).map { String(cString: $0) } ?? "",
                type: OID(rawValue: PQftype(handle, index)))
        }
    }

    /// Returns the type that the server sends for a column, without the cost of the column's name.
    ///
    /// - Parameter index: The position of the column, from 0.
    /// - Returns: The type; 0 if the column does not exist.
    public func type(ofColumn index: Int) -> OID {
        // libpq would tell its notice receiver of such a column, which may be gone with the connection.
        guard index >= 0, index < columnCount else { return OID(rawValue: 0) }
        return OID(rawValue: PQftype(handle, Int32(index)))
    }

    /// The number of rows that the statement inserted, updated, deleted, returned or copied.
    public var affectedRows: Int {
        guard var digits = PQcmdTuples(handle) else { return 0 }
        var rows = 0
        while digits.pointee != 0 {
            rows = rows &* 10 &+ Int(digits.pointee) &- 48
            digits += 1
        }
        return rows
    }

    /// Returns the rows that observers receive.
    ///
    /// - Parameter isCount: Indicates whether the result is the number of rows that the statement wrote.
    func observedRows(isCount: Bool) -> Int {
        isCount ? scalar { Int($0.int64) } ?? 0 : affectedRows
    }

    /// The server's command tag, such as `INSERT 0 5`.
    public var commandTag: String {
        PQcmdStatus(handle).map { String(cString: $0) } ?? ""
    }

    /// Returns one row, in one call for all its columns.
    ///
    /// The row is valid until the next call, and only as long as the result exists.
    ///
    /// - Parameter index: The position of the row, from 0.
    public func row(_ index: Int) -> Row {
        precondition(
            index >= 0 && index < rowCount,
            "The result has only \(rowCount) rows. Use an index below rowCount.")
        // Cell has the layout of the C struct; see CellLayoutTests.
        let raw = UnsafeMutableRawPointer(cells).assumingMemoryBound(to: howdah_cell.self)
        howdah_fill_row(handle, Int32(truncatingIfNeeded: index), Int32(columnCount), raw)
        return Row(cells: cells, count: columnCount)
    }
}
