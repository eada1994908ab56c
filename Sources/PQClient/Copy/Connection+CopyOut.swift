internal import CLibPQ

extension Connection {
    /// Runs a query by `COPY (…) TO STDOUT (FORMAT binary)` and returns the number of rows.
    ///
    /// Each row is handed over while the server still sends the next ones. From some thousand rows on, this
    /// costs less than ``query(_:_:cached:)``: no result is built, and decoding runs beside the server. The
    /// query takes no parameters and is planned each time. One more round trip reads the types of the columns
    /// first.
    ///
    /// A row is valid only inside `row`, which must not use the connection. If `row` throws, the other rows
    /// are read and dropped, and its error is thrown.
    ///
    /// - Parameters:
    ///   - sql: One query without parameters.
    ///   - begin: The closure that receives the types of the columns before the first row.
    ///   - row: The closure that receives each row.
    /// - Throws: ``PostgresError`` as ``query(_:_:cached:)``, and the errors of the closures.
    @discardableResult
    public func copyOut(
        _ sql: String, begin: ([OID]) throws -> Void, row: (Row) throws -> Void
    ) throws -> Int {
        try exchange("COPY (\(sql)) TO STDOUT (FORMAT binary)", event: .copy, rows: { $0 }) { exchange in
            let types = try columnTypes(of: sql, &exchange)
            try begin(types)
            try sent(PQsendQuery(try openHandle(exchange), exchange.sql), &exchange)
            try awaitCopyStart(PGRES_COPY_OUT, &exchange)
            var reader = CopyReader(types: types)
            defer { reader.deallocate() }
            try readRows(&reader, &exchange, row)
            _ = try finish(&exchange)
            return reader.count
        }
    }

    /// Reads the types again each time: those of an earlier prepared statement may be out of date.
    private func columnTypes(of sql: String, _ exchange: inout Exchange) throws -> [OID] {
        let columns = try describe(StatementCache.Key(sql: sql, types: []), &exchange)
        exchange.phase = .execute
        return columns.map(\.type)
    }

    private func readRows(
        _ reader: inout CopyReader, _ exchange: inout Exchange, _ row: (Row) throws -> Void
    ) throws {
        var failure: (any Error)?
        while true {
            let handle = try openHandle(exchange)
            var message: UnsafeMutablePointer<CChar>?
            let length = PQgetCopyData(handle, &message, 1)
            if length == 0 {
                try wait(&exchange, writing: false)
                guard PQconsumeInput(handle) == 1 else { throw copyFailure(&exchange) }
                continue
            }
            guard length > 0, let message else { break }
            defer { PQfreemem(message) }
            guard failure == nil else { continue }
            do {
                if let next = try reader.row(UnsafeRawBufferPointer(start: message, count: Int(length))) {
                    try row(next)
                }
            } catch {
                failure = error
            }
        }
        guard let failure else { return }
        // The server's own error, where there is one too, came after ours and because of nothing we did.
        _ = try? finish(&exchange)
        throw failure
    }
}
