internal import CLibPQ

extension Connection {
    /// Has the columns of a statement checked before it runs; two round trips for a text and types that are new to the
    /// connection, none for others.
    ///
    /// - Parameter types: what `check` looks for.
    /// - Throws: ``PostgresError`` as ``query(_:_:cached:)``; what `check` throws.
    package func checkColumns(
        of sql: String, _ parameters: Parameters, as types: [ObjectIdentifier],
        _ check: ([QueryResult.Column]) throws -> Void
    ) throws {
        // The others bring no columns.
        guard StatementKind(sql) == .other else { return }
        let key = StatementCache.Key(sql: sql, types: parameters.types)
        if cache.fits(key, types) { return }
        let start = ContinuousClock.now
        let columns: [QueryResult.Column]
        do {
            columns = try unobservedExchange(sql, kind: .other) { try describe(key, &$0) }
        } catch let error as PostgresError {
            report(.statement, sql, start, rows: 0, error: error)
            throw error
        }
        try check(columns)
        cache.noteFitting(key, types)
    }

    private func describe(
        _ key: StatementCache.Key, _ exchange: inout Exchange
    ) throws -> [QueryResult.Column] {
        exchange.phase = .prepare
        try sent(try sendPrepare(key, "", exchange), &exchange, executes: false)
        _ = try finish(&exchange)
        try sent(PQsendDescribePrepared(try openHandle(exchange), ""), &exchange, executes: false)
        return try finish(&exchange).columns
    }
}
