/// What is known about one exchange with the server while it runs.
struct Exchange {
    /// How long the server may take to answer a cancel request.
    static let grace: Duration = .seconds(1)
    /// How long an encrypted connection waits before it looks for bytes itself.
    static let encryptedSlice: Duration = .milliseconds(20)

    let sql: String
    let kind: StatementKind
    var phase: PostgresError.Phase
    /// When the statement is cancelled, and after that, when the connection is given up.
    var limit: ContinuousClock.Instant?
    /// The connection's timeout for statements, if that is what sets the limit.
    var statementTimeout: Duration?
    /// Whether the limit passed and a cancel request was made.
    var isExpired = false
    /// Whether the server may make work durable from what was sent so far.
    var mayCommit = false

    /// Whether each statement is a transaction of its own, as far as the statements sent tell.
    private var isAutocommit: Bool

    init(_ sql: String, kind: StatementKind, isAutocommit: Bool) {
        self.sql = sql
        self.kind = kind
        self.isAutocommit = isAutocommit
        phase = kind == .commit ? .commit : .execute
    }

    /// Notes that a statement of this kind is on its way to the server.
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
    /// The same exchange as seen by one statement of a batch.
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
