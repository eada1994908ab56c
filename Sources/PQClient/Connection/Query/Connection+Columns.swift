internal import CLibPQ

extension Connection {
    /// Checks the columns of a statement before it runs.
    ///
    /// A text or types new to the connection cost one round trip, others none.
    ///
    /// - Parameter types: The types that `check` expects.
    /// - Throws: ``PostgresError`` as ``query(_:_:cached:)``, and the errors of `check`.
    package func checkColumns(
        of sql: String, _ parameters: Parameters, as types: [ObjectIdentifier],
        _ check: ([QueryResult.Column]) throws -> Void
    ) throws {
        // The others bring no columns.
        guard StatementKind(sql) == .other else { return }
        let key = StatementCache.Key(sql: sql, types: parameters.types)
        if cache.fits(key, types) { return }
        let start = beginObserved() ?? .now
        let columns: [QueryResult.Column]
        do {
            columns = try unobservedExchange(sql, kind: .other) { try describe(key, &$0) }
        } catch let error as PostgresError {
            if !error.isUnsent { report(.statement, sql, start, rows: 0, error: error) }
            throw error
        }
        try check(columns)
        cache.noteFitting(key, types)
    }

    /// Returns the columns of a statement; one round trip.
    func describe(
        _ key: StatementCache.Key, _ exchange: inout Exchange
    ) throws -> [QueryResult.Column] {
        exchange.phase = .prepare
        let handle = try openHandle(exchange)
        // Together, as a pooler may give the next round trip to a session that does not have the statement.
        guard PQenterPipelineMode(handle) == 1 else { throw unsent(exchange) }
        try sent(try sendPrepare(key, "", exchange), &exchange, executes: false)
        try sent(PQsendDescribePrepared(handle, ""), &exchange, executes: false)
        guard PQpipelineSync(handle) == 1 else { throw unsent(exchange) }
        let results = try pipelineResults(2, &exchange)
        guard PQexitPipelineMode(handle) == 1 else { throw lost(exchange) }
        _ = try results[0].get()
        return try results[1].get().columns
    }
}
