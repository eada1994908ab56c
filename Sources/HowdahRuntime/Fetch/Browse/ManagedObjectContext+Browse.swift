import PQClient

extension ManagedObjectContext {
    /// Returns rows as text; one statement.
    ///
    /// - Throws: The errors of ``fetch(_:)``; `FetchError.invalidCursor`.
    package func browse(_ query: BrowseQuery) throws -> BrowsePage {
        try browsing(query) { statement, connection in try statement.run(on: connection) }
    }

    /// Returns the statement of a query and the server's plan for it; one statement, which reads no rows.
    ///
    /// - Throws: The errors of ``browse(_:)``.
    package func explain(_ query: BrowseQuery) throws -> FetchPreview {
        try browsing(query) { statement, connection in
            let plan = try connection.query(
                "EXPLAIN " + statement.sql, statement.parameters, cached: false,
                about: StatementSubject(.explain)
            ).map { $0[0].string() }
            return FetchPreview(sql: statement.sql, parameters: statement.parameters, plan: plan)
        }
    }

    /// Returns the number of objects of a query, at most `limit`; one statement, which reads no more rows than that.
    ///
    /// - Throws: The errors of ``fetch(_:)``.
    package func count(_ query: BrowseQuery, upTo limit: Int) throws -> Int {
        do {
            let (sql, parameters) = try BrowseStatement.counting(query, upTo: limit, store.layouts)
            return try withConnection { connection in
                try connection.query(
                    sql, parameters, cached: false, about: StatementSubject(.select)
                ).scalar { Int($0.int64) } ?? 0
            }
        } catch {
            throw store.readError(error)
        }
    }

    /// Counts the objects of a query by the values of its columns; one statement.
    ///
    /// The order and the position of the query do not matter, and its limit is that of the groups.
    ///
    /// - Parameter limit: The number of objects that are looked at, in no order.
    /// - Throws: The errors of ``browse(_:)``.
    package func values(_ query: BrowseQuery, among limit: Int) throws -> BrowseValues {
        do {
            let statement = try BrowseValuesStatement(query, among: limit, store.layouts)
            return try withConnection { try statement.run(on: $0) }
        } catch {
            throw store.readError(error)
        }
    }

    private func browsing<T>(
        _ query: BrowseQuery, _ body: (BrowseStatement, Connection) throws -> T
    ) throws -> T {
        do {
            let statement = try BrowseStatement(query, store.layouts)
            return try withConnection { try body(statement, $0) }
        } catch {
            throw store.readError(error)
        }
    }
}
