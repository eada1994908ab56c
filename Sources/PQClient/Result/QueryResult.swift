internal import CLibPQ

/// The rows a statement returned, in binary; it outlives its connection.
///
/// Rows are views into the result: keep the result alive while one is in use, best by ``forEachRow(_:)`` and
/// ``map(_:)``, which do.
public final class QueryResult {
    /// A column's name and type.
    public struct Column: Hashable, Sendable {
        /// The name the statement gave.
        public let name: String
        /// The type the server sends.
        public let type: OID
    }

    private let handle: OpaquePointer
    private let cells: UnsafeMutablePointer<Cell>
    /// The number of rows.
    public let rowCount: Int
    /// The number of columns.
    public let columnCount: Int

    /// Takes ownership of a result of libpq.
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

    /// The type the server sends for a column, from 0; without the cost of its name. 0 if there is no such column.
    public func type(ofColumn index: Int) -> OID {
        // libpq would tell its notice receiver of such a column, which may be gone with the connection.
        guard index >= 0, index < columnCount else { return OID(rawValue: 0) }
        return OID(rawValue: PQftype(handle, Int32(index)))
    }

    /// How many rows the statement inserted, updated, deleted, returned or copied.
    public var affectedRows: Int {
        PQcmdTuples(handle).flatMap { Int(String(cString: $0)) } ?? 0
    }

    /// The server's name for what it did, as `INSERT 0 5`.
    public var commandTag: String {
        PQcmdStatus(handle).map { String(cString: $0) } ?? ""
    }

    /// Row `index`, from 0, in one call for all its columns.
    ///
    /// The row is valid until this is called again, and only while the result lives.
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
