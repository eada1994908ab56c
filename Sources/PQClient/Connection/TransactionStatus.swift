/// Where a connection stands with regard to transactions, as the server reported last.
public enum TransactionStatus: Sendable {
    /// No transaction is open.
    case idle
    /// A transaction is open.
    case inTransaction
    /// A transaction is open and failed; only rolling back, also to a savepoint, is possible.
    case failed
    /// A statement is running, or the connection is closed.
    case unknown
}

/// How much a transaction sees of concurrent ones.
///
/// Source: PostgreSQL "Transaction Isolation".
public enum Isolation: String, Sendable, CaseIterable {
    /// Each statement sees what was committed before it began.
    case readCommitted = "READ COMMITTED"
    /// All statements see what was committed before the first of them began.
    case repeatableRead = "REPEATABLE READ"
    /// As if transactions ran one after the other; any statement, COMMIT too, may fail with SQLSTATE 40001.
    case serializable = "SERIALIZABLE"
}
