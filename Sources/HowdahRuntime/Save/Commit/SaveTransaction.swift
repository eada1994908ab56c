import HowdahModel
import PQClient

/// The transaction of one save: begun with its first statement, ended in the round trip of the last.
///
/// Inside the transaction of an enclosing unit of work it is a savepoint.
final class SaveTransaction {
    private static let savepoint = "howdah_save"
    private static let innerSavepoint = "howdah_rows"
    /// The planner's settings for the transaction. Sequential scans are off for small tables, whose rows need
    /// not be in key order.
    private static let nestedLoops = [
        ("hashjoin", "off"), ("mergejoin", "off"), ("seqscan", "off"), ("nestloop", "on"),
    ].map { SaveStatement(controlling: "SET LOCAL enable_\($0) = \($1)") }

    private let connection: Connection
    let isNested: Bool
    /// The token that the save writes; nil in enclosing transactions, which write one themselves.
    private(set) var token: SaveToken?
    /// A Boolean value that indicates whether delete and version triggers leave all work to this transaction.
    private var holdsTriggers: Bool
    /// A Boolean value that indicates whether rows may refer to each other in any order until the end.
    private let defersConstraints: Bool
    /// A Boolean value that indicates whether the transaction must set the mark that it writes its own history.
    private let marksHistory: Bool
    /// The store to check first, if the session cannot prevent its exchange.
    private let check: StoreMark?
    private let copies: CopyRefusals
    /// The values that the statements returned.
    private(set) var derived: [ReadBack.Row] = []
    /// The rows that a batch request changes, for the history.
    var stored = StoredChanges()
    /// The comment after each statement of a request, which names its call site; empty if there is none.
    var comment = ""
    /// The statement that the server refused, if it was one of several.
    private(set) var failed: SaveStatement?
    private var needsNestedLoops = false
    /// A Boolean value that indicates whether statements were sent, even if they have ended.
    private(set) var hasBegun = false
    private var hasEnded = false

    init(
        _ connection: Connection, isNested: Bool, token: SaveToken? = nil, holdsTriggers: Bool = false,
        defersConstraints: Bool = true, in store: Store
    ) {
        self.connection = connection
        self.isNested = isNested
        self.token = isNested ? nil : token
        self.holdsTriggers = holdsTriggers
        self.defersConstraints = defersConstraints
        marksHistory = store.history?.marksSaves ?? false
        check = connection.isPooled ? store.mark : nil
        copies = store.copies
    }

    /// Sends statements in one round trip, and begins the transaction with the first ones.
    ///
    /// - Returns: Their results in order.
    func run(_ statements: [SaveStatement]) throws -> [QueryResult] {
        let opening = hasBegun ? [] : beginning
        var batch = Batch()
        for statement in comment.isEmpty ? opening : opening.map({ $0.tagged(comment) }) {
            batch.add(statement.sql, statement.parameters, about: statement.subject)
        }
        for statement in comment.isEmpty ? statements : statements.map({ $0.tagged(comment) }) {
            batch.add(statement.sql, statement.parameters, about: statement.subject)
        }
        hasBegun = true
        do {
            return Array(try connection.run(batch).dropFirst(opening.count))
        } catch var error as PostgresError {
            if let index = error.batchIndex, statements.indices.contains(index - opening.count) {
                failed = statements[index - opening.count]
            }
            // The server itself answered a statement before COMMIT with its end: it never came to COMMIT.
            if let index = error.batchIndex, error.isServersAnswer, index < batch.count - 1 {
                error.mayHaveCommitted = false
            }
            throw error
        }
    }

    /// A Boolean value that indicates whether statements were sent and can still be rolled back.
    var isOpen: Bool { hasBegun && !hasEnded && connection.transactionStatus == .inTransaction }

    /// Runs one query of the save.
    func query(_ sql: String, _ parameters: Parameters) throws -> QueryResult {
        try query(sql, parameters, about: StatementSubject(.select))
    }

    /// Runs one statement of the save on a known table.
    func query(_ sql: String, _ parameters: Parameters, about subject: StatementSubject) throws -> QueryResult
    {
        let results = try run([SaveStatement(sql, parameters, about: subject)])
        return results[0]
    }

    /// Writes everything and commits.
    ///
    /// - Parameter onMiss: Returns the error for rows that did not exist in the version that was read.
    /// - Throws: That error, or the server's; abandon the transaction then.
    func commit(_ batches: SaveBatches, onMiss: ([SaveStatement.Guarded]) throws -> SaveError) throws {
        if let statement = batches.single, commitsAlone(statement, batches.history) {
            return try commitAlone(statement, batches.history, onMiss)
        }
        needsNestedLoops = batches.needsNestedLoops
        var setting: [SaveStatement] = []
        if batches.holdsTriggers, !holdsTriggers {
            // A transaction that is not begun begins with it.
            if hasBegun { setting = [SaveStatement(controlling: Self.triggers("on"))] }
            holdsTriggers = true
        }
        let segments = isNested ? batches.segments : try batches.segmentsWithHistory()
        for (index, segment) in segments.enumerated() {
            switch segment {
            case .statements(let statements):
                // COMMIT may share the last round trip only where nothing can be missed.
                let isLast = index == segments.count - 1 && !batches.isGuarded
                let results = try run(setting + statements + (isLast ? ending : [])).dropFirst(setting.count)
                setting = []
                hasEnded = isLast
                let missed = zip(statements, results).compactMap { statement, result in
                    statement.guarded.flatMap { $0.keys.count == result.affectedRows ? nil : $0 }
                }
                if !missed.isEmpty { throw try self.missed(missed, onMiss) }
                for (statement, result) in zip(statements, results) {
                    if let readBack = statement.readBack { derived += try readBack.rows(result) }
                }
            case .copy(let copy): try send(copy)
            }
        }
        if !hasEnded, hasBegun {
            _ = try run(ending)
            hasEnded = true
        }
    }

    /// Writes a statement on one row and commits, as ``commit(_:onMiss:)``.
    func commit(
        _ statement: SaveStatement, history: HistoryRows?,
        onMiss: ([SaveStatement.Guarded]) throws -> SaveError
    ) throws {
        if commitsAlone(statement, history) { return try commitAlone(statement, history, onMiss) }
        try commit(SaveBatches(sole: statement, history: history), onMiss: onMiss)
    }

    /// Returns a Boolean value that indicates whether a statement can be a transaction by itself.
    private func commitsAlone(_ statement: SaveStatement, _ history: HistoryRows?) -> Bool {
        !hasBegun && !isNested && (token == nil || statement.guarded != nil)
            && history?.isOneStatement ?? true
    }

    private func commitAlone(
        _ statement: SaveStatement, _ history: HistoryRows?,
        _ onMiss: ([SaveStatement.Guarded]) throws -> SaveError
    ) throws {
        let result = try send(
            SingleStatement(statement: statement, token: token, mark: check, history: history).whole())
        hasEnded = true
        if let guarded = statement.guarded, result.affectedRows != 1 {
            throw try missed([guarded], onMiss)
        }
        if let readBack = statement.readBack { derived += try readBack.rows(result) }
    }

    /// Sends a statement that is a transaction by itself, in one round trip.
    func send(_ statement: SaveStatement) throws -> QueryResult {
        let statement = comment.isEmpty ? statement : statement.tagged(comment)
        guard marksHistory else {
            return try connection.query(
                statement.sql, statement.parameters, about: statement.subject)
        }
        // Without BEGIN, the two are one transaction.
        var batch = Batch()
        batch.add(StoreHistory.mark(true), about: StatementSubject(.transaction))
        batch.add(statement.sql, statement.parameters, about: statement.subject)
        return try connection.run(batch)[1]
    }

    /// Sends the last statements and commits, in one round trip.
    ///
    /// - Returns: The results of those statements in order.
    @discardableResult
    func end(with statements: [SaveStatement]) throws -> [QueryResult] {
        let results = try run(statements + ending)
        hasEnded = true
        return Array(results.prefix(statements.count))
    }

    /// Sends the last statements and commits, if anything was sent and has not ended.
    func endIfBegun(with statements: [SaveStatement] = []) throws {
        if hasBegun, !hasEnded { try end(with: statements) }
    }

    /// Returns the error for missing rows. It is determined after a rollback: our own writes would look like
    /// another session's.
    private func missed(
        _ rows: [SaveStatement.Guarded], _ onMiss: ([SaveStatement.Guarded]) throws -> SaveError
    ) throws -> SaveError {
        abandon()
        (hasBegun, hasEnded) = (false, false)
        // What follows only looks at what is there.
        token = nil
        return try onMiss(rows)
    }

    /// Runs `body` in a savepoint of the transaction. If it throws, its changes are undone, and the transaction
    /// can continue.
    func inSavepoint<T>(_ body: () throws -> T) throws -> T {
        _ = try run([SaveStatement(controlling: "SAVEPOINT \(Self.innerSavepoint)")])
        do {
            let result = try body()
            _ = try run([SaveStatement(controlling: "RELEASE SAVEPOINT \(Self.innerSavepoint)")])
            return result
        } catch {
            guard connection.isUsable else { throw error }
            try connection.rollback(toSavepoint: Self.innerSavepoint)
            try connection.release(savepoint: Self.innerSavepoint)
            throw error
        }
    }

    /// Rolls back, if the connection still permits it.
    func abandon() {
        guard hasBegun, !hasEnded, connection.isUsable else { return }
        // The error that led here is the one to report; a connection that cannot roll back is replaced.
        if isNested {
            try? connection.rollback(toSavepoint: Self.savepoint)
            try? connection.release(savepoint: Self.savepoint)
        } else if connection.transactionStatus != .idle {
            try? connection.rollback()
        }
    }

    private var beginning: [SaveStatement] {
        let start = isNested ? "SAVEPOINT \(Self.savepoint)" : "BEGIN ISOLATION LEVEL READ COMMITTED"
        let insertion = token?.insertion()
        let opening =
            insertion.map { [SaveStatement($0.sql, $0.parameters, about: StatementSubject(.transaction))] }
            ?? []
        var statements = [SaveStatement(controlling: start)]
        if let check {
            var parameters = Parameters()
            let sql = check.check(&parameters)
            statements.append(SaveStatement(sql, parameters, about: StatementSubject(.transaction)))
        }
        statements += opening
        if marksHistory { statements.append(SaveStatement(controlling: StoreHistory.mark(true))) }
        return statements
            + (defersConstraints ? [SaveStatement(controlling: "SET CONSTRAINTS ALL DEFERRED")] : [])
            + (needsNestedLoops ? Self.nestedLoops : [])
            + (holdsTriggers ? [SaveStatement(controlling: Self.triggers("on"))] : [])
    }

    private var ending: [SaveStatement] {
        // The setting would outlast a savepoint, and hold the triggers off a batch deletion that comes later.
        (defersConstraints ? [SaveStatement(controlling: "SET CONSTRAINTS ALL IMMEDIATE")] : [])
            + (holdsTriggers && isNested ? [SaveStatement(controlling: Self.triggers("off"))] : [])
            + (marksHistory && isNested ? [SaveStatement(controlling: StoreHistory.mark(false))] : [])
            + [
                isNested
                    ? SaveStatement(controlling: "RELEASE SAVEPOINT \(Self.savepoint)")
                    : SaveStatement(controlling: "COMMIT", .commit)
            ]
    }

    private static func triggers(_ state: String) -> String {
        "SET LOCAL \(StoreSchema.Trigger.setting) = '\(state)'"
    }

    /// Runs a COPY, and begins the transaction if needed.
    ///
    /// If the server refuses the COPY for row level security, it does so before `body` runs.
    ///
    /// - Returns: The number of rows that the server accepted.
    func copy(
        _ sql: String, into table: StoredTable, _ body: (inout CopyWriter) throws -> Void
    ) throws -> Int {
        if !hasBegun { _ = try run([]) }
        var hasStarted = false
        do {
            return try connection.about(StatementSubject(.copy, table.subject)) {
                try connection.copyIn(sql) { writer in
                    hasStarted = true
                    try body(&writer)
                }
            }
        } catch let error as PostgresError
            where !hasStarted && error.sqlState == SQLState.featureNotSupported
        {
            copies.note(table.name)
            throw error
        }
    }

    /// Undoes all statements, so that they can be sent again in another form.
    func startAgain() {
        abandon()
        (hasBegun, hasEnded) = (false, false)
    }

    private func send(_ copy: SaveCopy) throws {
        let columns = copy.insert.columns
        _ = try self.copy(copy.sql, into: copy.insert.table) { writer in
            for row in copy.insert.rows {
                try writer.row(columns: columns.count) { cells in
                    for (column, value) in zip(columns, row.values) {
                        try cells.write(value, as: column.type)
                    }
                }
            }
        }
    }
}
