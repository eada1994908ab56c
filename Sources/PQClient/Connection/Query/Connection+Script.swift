internal import CLibPQ

extension Connection {
    /// Runs constant SQL of any number of statements, without parameters and results; one round trip.
    ///
    /// Outside a transaction the script is one transaction, if it does not hold BEGIN or COMMIT.
    ///
    /// - Parameter sql: The statements, separated by semicolons.
    /// - Throws: ``PostgresError`` of the first statement that failed.
    public func executeScript(_ sql: StaticString) throws {
        try executeScript(sql.description)
    }

    /// Runs text that this package made from quoted parts, in the manner of the public form.
    package func executeScript(_ sql: String) throws {
        try exchange(sql, kind: .other, event: .script, rows: { 0 }) { exchange in
            let handle = try openHandle(exchange)
            // What the script does to transactions is not looked into: it may contain a COMMIT.
            exchange.mayCommit = true
            try sent(PQsendQuery(handle, sql), &exchange)
            _ = try finish(&exchange)
        }
    }
}
