internal import CLibPQ

extension Connection {
    private static let copySignature: [UInt8] = Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0]

    /// Loads rows by `COPY … FROM STDIN (FORMAT binary)` and returns the number of rows that the server
    /// accepted.
    ///
    /// The rows are sent in blocks: memory stays at about 64 KB. If `body` throws, the COPY is aborted and
    /// none of its rows stays. An open transaction has then failed, and the error of `body` is thrown.
    ///
    /// - Throws: ``PostgresError`` as ``query(_:_:cached:)``, and the errors of `body`.
    @discardableResult
    public func copyIn(_ sql: String, _ body: (inout CopyWriter) throws -> Void) throws -> Int {
        try exchange(sql, event: .copy, rows: { $0 }, isWriting: { _ in true }) { exchange in
            let handle = try openHandle(exchange)
            try sent(PQsendQuery(handle, sql), &exchange)
            try awaitCopyStart(PGRES_COPY_IN, &exchange)
            do {
                try writeRows(&exchange, body)
            } catch let error {
                try abortCopy(after: error, &exchange)
            }
            try endCopy(nil, &exchange)
            return try finish(&exchange).affectedRows
        }
    }

    private func writeRows(
        _ exchange: inout Exchange, _ body: (inout CopyWriter) throws -> Void
    ) throws {
        // The writer needs the exchange for its deadline while `body` runs.
        try withoutActuallyEscaping({ (block: [UInt8]) in try self.put(block, &exchange) }) { send in
            var writer = CopyWriter(send: send)
            writer.cells.buffer += Self.copySignature
            writer.cells.append(0 as Int32)
            writer.cells.append(0 as Int32)
            try body(&writer)
            writer.cells.append(-1 as Int16)
            try writer.flush()
        }
    }

    func awaitCopyStart(_ expected: ExecStatusType, _ exchange: inout Exchange) throws {
        guard let raw = try nextResult(&exchange) else { throw lost(exchange) }
        defer { PQclear(raw) }
        switch PQresultStatus(raw) {
        case expected:
            if PQbinaryTuples(raw) == 1 { return }
            try abortCopy(
                after: PostgresError(
                    .misuse, "The COPY is not binary. Write COPY … FROM STDIN (FORMAT binary).",
                    statement: exchange.sql), &exchange)
        case PGRES_FATAL_ERROR:
            let failure = error(raw, exchange)
            while let more = try nextResult(&exchange) { PQclear(more) }
            if failure.code == .connectionLost { close() }
            throw failure
        default:
            close()
            throw PostgresError(
                .misuse,
                "The statement of copyIn(_:_:) is not COPY … FROM STDIN. The connection was closed. Use "
                    + "copyOut(_:_:) for COPY … TO STDOUT, and query(_:) for a statement without COPY.",
                statement: exchange.sql)
        }
    }

    private func put(_ block: [UInt8], _ exchange: inout Exchange) throws {
        let handle = try openHandle(exchange)
        guard let size = Int32(exactly: block.count) else {
            throw PostgresError(
                .invalidValue, "A row of the COPY has more than 2 GiB. Send smaller values.",
                statement: exchange.sql)
        }
        while true {
            let status = block.withUnsafeBytes {
                PQputCopyData(
                    handle, $0.baseAddress?.assumingMemoryBound(to: CChar.self), size)
            }
            if status < 0 { throw copyFailure(&exchange) }
            if status == 1 { break }
            try waitInCopy(&exchange)
        }
        while true {
            let unsent = PQflush(handle)
            if unsent < 0 { throw copyFailure(&exchange) }
            if unsent == 0 { return }
            try waitInCopy(&exchange)
        }
    }

    private func waitInCopy(_ exchange: inout Exchange) throws {
        try wait(&exchange, writing: true)
        guard PQconsumeInput(try openHandle(exchange)) == 1 else { throw copyFailure(&exchange) }
    }

    /// Returns the server's reason, if it gave one before the connection was lost.
    func copyFailure(_ exchange: inout Exchange) -> PostgresError {
        do {
            _ = try finish(&exchange)
        } catch let error as PostgresError {
            return error
        } catch {}
        return lost(exchange)
    }

    private func endCopy(_ complaint: String?, _ exchange: inout Exchange) throws {
        let handle = try openHandle(exchange)
        while true {
            let status = PQputCopyEnd(handle, complaint)
            if status < 0 { throw copyFailure(&exchange) }
            if status == 1 { return }
            try waitInCopy(&exchange)
        }
    }

    private func abortCopy(after error: any Error, _ exchange: inout Exchange) throws -> Never {
        if isUsable, (error as? PostgresError)?.code != .connectionLost {
            try? endCopy("the client cancelled the COPY", &exchange)
            _ = try? finish(&exchange)
        }
        throw error
    }
}
