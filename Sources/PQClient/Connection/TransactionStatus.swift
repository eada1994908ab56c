/// The state of a connection's transaction, as the server reported last.
public enum TransactionStatus: Sendable {
    /// No transaction is open.
    case idle
    /// A transaction is open.
    case inTransaction
    /// A transaction is open and failed; you can only roll back, also to a savepoint.
    case failed
    /// A statement is running, or the connection is closed.
    case unknown
}

/// The visibility of concurrent transactions in a transaction.
///
/// Source: PostgreSQL "Transaction Isolation".
public enum Isolation: String, Sendable, CaseIterable {
    /// Each statement sees the data that was committed before it began.
    case readCommitted = "READ COMMITTED"
    /// All statements see the data that was committed before the first of them began.
    case repeatableRead = "REPEATABLE READ"
    /// The transactions behave as if they ran one after the other.
    ///
    /// Any statement, COMMIT too, may fail with SQLSTATE 40001.
    case serializable = "SERIALIZABLE"
}
