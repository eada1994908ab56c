internal import CLibPQ

extension Connection {
    /// Runs one statement and returns all its rows; blocks for one round trip.
    ///
    /// If the server invalidated a prepared statement, it is prepared again once. If a transaction is open,
    /// it has failed instead.
    ///
    /// - Parameters:
    ///   - sql: One statement with parameters `$1`, `$2`, ….
    ///   - parameters: The values of the parameters, in this order.
    ///   - cached: Indicates whether the statement is prepared at its first use, in the same round trip, and
    ///     kept until others displace it. Constant text profits. Do not cache text that you send once.
    /// - Returns: The rows and the command tag.
    /// - Throws: ``PostgresError`` with code `server`, `cancelled`, `deadlineExceeded`, `connectionLost`,
    ///   `invalidValue` or `misuse`.
    public func query(
        _ sql: String, _ parameters: Parameters = Parameters(), cached: Bool = true
    ) throws -> QueryResult {
        try query(sql, parameters, cached: cached, about: nil)
    }

    /// Runs one statement as ``query(_:_:cached:)``, with the operation and the table that observers receive.
    package func query(
        _ sql: String, _ parameters: Parameters = Parameters(), cached: Bool = true,
        about subject: StatementSubject?
    ) throws -> QueryResult {
        try parameters.checkLimits()
        // A text that was prepared before was looked at before.
        let known = cached ? cache.use(StatementCache.Key(sql: sql, types: parameters.types)) : nil
        let returnsCount = subject?.returnsCount ?? false
        return try exchange(
            sql, isKnown: known != nil, about: subject, rows: { $0.observedRows(isCount: returnsCount) },
            isWriting: { $0.columnCount == 0 }
        ) { exchange in
            if let known { return try runKnown(known, parameters, &exchange) }
            if cached, !cache.isFull, exchange.kind == .other {
                return try runFirst(parameters, &exchange)
            }
            return try runOnce(parameters, &exchange)
        }
    }

    private func runOnce(_ parameters: Parameters, _ exchange: inout Exchange) throws -> QueryResult {
        try sent(try sendOnce(exchange.sql, parameters, exchange), &exchange)
        return try finish(&exchange)
    }

    private func runKnown(
        _ name: String, _ parameters: Parameters, _ exchange: inout Exchange
    ) throws -> QueryResult {
        do {
            return try runPrepared(name, parameters, &exchange)
        } catch let error as PostgresError where error.isAboutStaleStatement {
            cache.remove(
                StatementCache.Key(sql: exchange.sql, types: parameters.types),
                existsOnServer: error.sqlState != SQLState.invalidStatementName)
            if error.sqlState == SQLState.featureNotSupported { statementTag?.renew() }
            guard transactionStatus == .idle else { throw error }
            return try runFirst(parameters, &exchange)
        }
    }

    /// Prepares and runs in one round trip, as a batch of one.
    private func runFirst(_ parameters: Parameters, _ exchange: inout Exchange) throws -> QueryResult {
        var batch = Batch()
        batch.add(exchange.sql, parameters)
        var progress = PipelineProgress()
        do {
            try send(batch, &progress, &exchange)
        } catch var error as PostgresError {
            error.batchIndex = nil
            throw error
        }
        guard let result = progress.results.first else { throw lost(exchange) }
        return result
    }

    private func runPrepared(
        _ name: String, _ parameters: Parameters, _ exchange: inout Exchange
    ) throws -> QueryResult {
        try sent(try sendPrepared(name, parameters, exchange), &exchange)
        return try finish(&exchange)
    }

    // MARK: - Sending

    func sendOnce(_ sql: String, _ parameters: Parameters, _ exchange: Exchange) throws -> Int32 {
        let handle = try openHandle(exchange)
        return parameters.withWire { wire in
            PQsendQueryParams(
                handle, sql, wire.count, wire.types, wire.values, wire.lengths, wire.formats, 1)
        }
    }

    func sendPrepared(_ name: String, _ parameters: Parameters, _ exchange: Exchange) throws -> Int32 {
        let handle = try openHandle(exchange)
        return parameters.withWire { wire in
            PQsendQueryPrepared(handle, name, wire.count, wire.values, wire.lengths, wire.formats, 1)
        }
    }

    func sendPrepare(_ key: StatementCache.Key, _ name: String, _ exchange: Exchange) throws -> Int32 {
        let handle = try openHandle(exchange)
        let types = key.types.map(\.rawValue)
        // At the end, so that the places in the text that errors name stay right.
        let sql = pooling == .translating ? key.sql + (statementTag?.comment ?? "") : key.sql
        return PQsendPrepare(handle, name, sql, Int32(types.count), types)
    }
}

extension PostgresError {
    /// Indicates whether a second preparation of the statement may help.
    ///
    /// "cached plan must not change result type" shares its SQLSTATE with real refusals. If it is one of
    /// those, the server refuses it twice.
    var isAboutStaleStatement: Bool {
        sqlState == SQLState.invalidStatementName || sqlState == SQLState.featureNotSupported
    }
}
