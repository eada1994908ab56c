/// The state of one exchange with the server.
struct Exchange {
    /// The time in which the server has to answer a cancel request.
    static let grace: Duration = .seconds(1)
    /// The time after which an encrypted connection looks for bytes itself.
    static let encryptedSlice: Duration = .milliseconds(20)

    let sql: String
    let kind: StatementKind
    var phase: PostgresError.Phase
    /// The time at which the statement is cancelled, and later, at which the connection is cut.
    var limit: ContinuousClock.Instant?
    /// The connection's timeout for statements, if it sets the limit.
    var statementTimeout: Duration?
    /// Indicates whether the limit passed and a cancel request was made.
    var isExpired = false
    /// Indicates whether the server may make work durable from the data sent so far.
    var mayCommit = false

    /// Indicates whether each statement is a separate transaction, judged by the statements sent.
    private var isAutocommit: Bool

    init(_ sql: String, kind: StatementKind, isAutocommit: Bool) {
        self.sql = sql
        self.kind = kind
        self.isAutocommit = isAutocommit
        phase = kind == .commit ? .commit : .execute
    }

    /// Records that a statement of this kind is on its way to the server.
    mutating func noteExecution(of kind: StatementKind) {
        switch kind {
        case .begin: isAutocommit = false
        case .rollback: isAutocommit = true
        case .commit: mayCommit = true
        case .forgetsStatements: break
        case .other: mayCommit = mayCommit || isAutocommit
        }
    }
}

extension Exchange {
    /// Returns the same exchange for one statement of a batch.
    func renamed(_ sql: String, phase: PostgresError.Phase) -> Exchange {
        let kind = StatementKind(sql)
        var copy = Exchange(sql, kind: kind, isAutocommit: false)
        copy.phase = kind == .commit ? .commit : phase
        copy.isExpired = isExpired
        copy.statementTimeout = statementTimeout
        copy.mayCommit = mayCommit
        return copy
    }
}
