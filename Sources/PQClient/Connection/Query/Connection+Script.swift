internal import CLibPQ

extension Connection {
    /// Runs constant SQL of any number of statements, without parameters and results; one round trip.
    ///
    /// Outside of a transaction, and unless the script holds BEGIN or COMMIT, it is a transaction of its own.
    /// - Throws: ``PostgresError`` of the first statement that failed.
    public func executeScript(_ sql: StaticString) throws {
        try executeScript(sql.description)
    }

    /// As the public form, for text that this package made from quoted parts.
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
