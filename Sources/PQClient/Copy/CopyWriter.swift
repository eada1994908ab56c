/// A writer for the rows of a COPY, which are sent in blocks of about 64 KB.
public struct CopyWriter {
    static let blockSize = 64 << 10

    var cells = CellWriter()
    /// The number of rows written so far.
    public private(set) var rowCount = 0
    private let send: ([UInt8]) throws -> Void

    init(send: @escaping ([UInt8]) throws -> Void) {
        self.send = send
        cells.buffer.reserveCapacity(Self.blockSize + 4096)
    }

    /// Writes one row.
    ///
    /// If `body` throws, the row is left out and the COPY can go on.
    ///
    /// - Parameters:
    ///   - columns: The number of columns in the statement's column list.
    ///   - body: The closure that writes exactly `columns` cells, in the order of that list.
    /// - Throws: ``PostgresError`` with code `misuse` for a wrong number of cells, `connectionLost` or
    ///   `deadlineExceeded`; and the errors of `body`.
    public mutating func row(columns: Int, _ body: (inout CellWriter) throws -> Void) throws {
        let start = cells.buffer.count
        cells.cellCount = 0
        do {
            cells.append(Int16(clamping: columns))
            try body(&cells)
            guard cells.cellCount == columns, columns <= Int16.max else {
                throw PostgresError(
                    .misuse,
                    "A COPY row has \(cells.cellCount) cells instead of \(columns). Write one cell for each column."
                )
            }
        } catch {
            cells.truncate(to: start)
            throw error
        }
        rowCount += 1
        if cells.buffer.count >= Self.blockSize { try flush() }
    }

    mutating func flush() throws {
        guard !cells.buffer.isEmpty else { return }
        defer { cells.buffer.removeAll(keepingCapacity: true) }
        try send(cells.buffer)
    }
}
