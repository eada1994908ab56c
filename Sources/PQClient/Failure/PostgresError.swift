/// An error of PostgreSQL or of the connection to it, with every field that the server sent.
///
/// Match ``code`` first; for errors of the server match ``sqlState`` against ``SQLState``. `description` is
/// safe to show and to log: it has no value and no DETAIL. `debugDescription` has everything.
///
/// Source: PostgreSQL "Error and Notice Message Fields".
public struct PostgresError: Error, Sendable {
    /// The kind of failure.
    public package(set) var code: Code
    /// The server's or libpq's primary message, or that of this library; the server's may quote values.
    public package(set) var message: String
    /// The activity of the connection.
    public package(set) var phase: Phase
    /// The five-character SQLSTATE, if the server sent one.
    public package(set) var sqlState: String?
    /// The SQLSTATE of the statement by which the transaction failed, if ``sqlState`` is 25P02.
    public package(set) var firstState: String?
    /// ERROR, FATAL or PANIC, never localised.
    public package(set) var severity: String?
    /// The secondary message; often holds values.
    public package(set) var detail: String?
    /// The server's suggestion.
    public package(set) var hint: String?
    /// The position of the error in ``statement``, in characters from 1.
    public package(set) var position: Int?
    /// The schema of the object concerned.
    public package(set) var schema: String?
    /// The table concerned.
    public package(set) var table: String?
    /// The column concerned.
    public package(set) var column: String?
    /// The data type concerned.
    public package(set) var dataType: String?
    /// The constraint that was violated.
    public package(set) var constraint: String?
    /// The call stack of the server's procedural code, innermost first.
    public package(set) var context: String?
    /// The statement that the server generated, if the error is in it.
    public package(set) var internalQuery: String?
    /// The position of the error in ``internalQuery``, in characters from 1.
    public package(set) var internalPosition: Int?
    /// File, line and routine of the server's source.
    public package(set) var source: String?
    /// The SQL text sent, without parameters.
    public package(set) var statement: String?
    /// A Boolean value that indicates whether the work may be durable although this error was thrown.
    ///
    /// It is if the connection was lost after a COMMIT, or after a statement outside a transaction, was sent.
    public package(set) var mayHaveCommitted: Bool
    /// The connection's timeout for statements, if it expired and not the caller's deadline.
    public package(set) var statementTimeout: Duration?
    /// The position of the failed entry in a batch, from 0.
    public package(set) var batchIndex: Int?
    /// A Boolean value that indicates whether nothing of the statement was sent, so that it was no round trip.
    package internal(set) var isUnsent = false

    /// Creates an error of this process; the server's fields are empty.
    package init(
        _ code: Code, _ message: String, phase: Phase = .execute, statement: String? = nil,
        mayHaveCommitted: Bool = false
    ) {
        self.code = code
        self.message = message
        self.phase = phase
        self.statement = statement
        self.mayHaveCommitted = mayHaveCommitted
    }
}

extension PostgresError {
    /// A Boolean value that indicates whether a pooler answered in place of its server.
    ///
    /// The SQLSTATE is of the class of connections, and the place in the source is missing, which a server always names.
    package var isPoolersAnswer: Bool { source == nil && sqlState?.hasPrefix("08") == true }

    /// A Boolean value that indicates whether the server itself answered, so that it did not come to later statements.
    package var isServersAnswer: Bool { sqlState != nil && !isPoolersAnswer }

    /// A Boolean value that indicates whether PgBouncer had no server for the statement, which was then sent to none.
    var isOfPoolersQueue: Bool { isPoolersAnswer && message == "query_wait_timeout" }

    /// The kind of a failure; more kinds may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The name of the code.
        public let description: String

        private init(_ description: String) { self.description = description }

        /// No connection could be made; ``PostgresError/message`` has the reason for each host.
        public static let connectionFailed = Code("connectionFailed")
        /// An established connection ended; lease another one.
        public static let connectionLost = Code("connectionLost")
        /// The server refused the statement; see ``PostgresError/sqlState``.
        public static let server = Code("server")
        /// A cancel request, or a timeout set on the server, ended the statement.
        public static let cancelled = Code("cancelled")
        /// The deadline of the unit of work, or of the statement, expired.
        public static let deadlineExceeded = Code("deadlineExceeded")
        /// No connection of the pool became free in time.
        public static let poolTimeout = Code("poolTimeout")
        /// The pool was closed.
        public static let poolClosed = Code("poolClosed")
        /// A value has no counterpart on the other side.
        public static let invalidValue = Code("invalidValue")
        /// The connection string or a setting cannot be used.
        public static let invalidConfiguration = Code("invalidConfiguration")
        /// The call is not possible in the connection's present state.
        public static let misuse = Code("misuse")
    }

    /// The activity of a connection when an error occurred.
    public struct Phase: Hashable, Sendable, CustomStringConvertible {
        /// The name of the phase.
        public let description: String

        private init(_ description: String) { self.description = description }

        /// Opening the connection.
        public static let connect = Phase("connect")
        /// Parsing a statement on the server.
        public static let prepare = Phase("prepare")
        /// Running a statement.
        public static let execute = Phase("execute")
        /// Converting the server's bytes to values.
        public static let decode = Phase("decode")
        /// Committing a transaction.
        public static let commit = Phase("commit")
    }
}
