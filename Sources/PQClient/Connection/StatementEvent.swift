/// What an observer of a connection is told after each statement; values are never part of it.
public struct StatementEvent: Sendable {
    /// What kind of call made the statement.
    public struct Kind: Hashable, Sendable {
        private let name: String
        private init(_ name: String) { self.name = name }

        /// A statement with its own result.
        public static let statement = Kind("statement")
        /// BEGIN, COMMIT, ROLLBACK and savepoints.
        public static let transaction = Kind("transaction")
        /// A constant script.
        public static let script = Kind("script")
        /// COPY.
        public static let copy = Kind("copy")
    }

    /// What kind of call made the statement.
    public let kind: Kind
    /// The SQL text.
    public let sql: String
    /// From before sending to after the last byte of the answer; of the whole batch where it was part of one.
    public let duration: Duration
    /// The rows returned or affected.
    public let rows: Int
    /// The number of the entry in its batch, from 0.
    public let batchIndex: Int?
    /// What it failed with.
    public let error: PostgresError?
}

/// A message the server sent beside its answers, as from RAISE NOTICE.
public struct Notice: Sendable {
    /// DEBUG, LOG, INFO, NOTICE or WARNING.
    public let severity: String
    /// The five-character SQLSTATE.
    public let sqlState: String?
    /// The text.
    public let message: String
    /// What the server adds to it; may hold values.
    public let detail: String?
}
