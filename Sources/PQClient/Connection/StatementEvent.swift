/// A report that an observer of a connection receives after each statement, without values.
public struct StatementEvent: Sendable {
    /// The kind of call that made the statement.
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

    /// The kind of call that made the statement.
    public let kind: Kind
    /// The SQL text.
    public let sql: String
    /// The time from before sending to after the last byte of the answer; for an entry of a batch, that of
    /// the whole batch.
    public let duration: Duration
    /// The rows returned or affected.
    public let rows: Int
    /// The number of the entry in its batch, from 0.
    public let batchIndex: Int?
    /// The error of the statement; nil if it succeeded.
    public let error: PostgresError?
    /// The operation and the table, if the code that rendered the statement stated them.
    package let subject: StatementSubject?
    /// A Boolean value that indicates whether a statement without a subject wrote the rows and returned none.
    package var isOwnWriting = false
}

/// A message that the server sent in addition to its answers, for example by RAISE NOTICE.
public struct Notice: Sendable {
    /// DEBUG, LOG, INFO, NOTICE or WARNING.
    public let severity: String
    /// The five-character SQLSTATE.
    public let sqlState: String?
    /// The text.
    public let message: String
    /// The server's additional text; may have values.
    public let detail: String?
}
