internal import CLibPQ

extension Connection {
    /// Returns the open handle. If the connection was closed meanwhile, it throws.
    func openHandle(_ exchange: Exchange) throws -> OpaquePointer {
        guard let handle else { throw lost(exchange) }
        return handle
    }

    /// Checks the return value of a `PQsend…` call.
    func sent(_ status: Int32, _ exchange: inout Exchange, executes: Bool = true) throws {
        guard status == 1 else { throw unsent(exchange) }
        if executes { exchange.noteExecution(of: exchange.kind) }
    }

    /// Returns the next result of the sent statement, or nil after its last one.
    ///
    /// It sends the unsent rest, waits until the deadline, and never blocks inside libpq.
    func nextResult(_ exchange: inout Exchange) throws -> OpaquePointer? {
        while true {
            let handle = try openHandle(exchange)
            let flush = PQflush(handle)
            if PQisBusy(handle) == 0 { return PQgetResult(handle) }
            try wait(&exchange, writing: flush > 0)
            // After a failed read, the result is an error that says so.
            if PQconsumeInput(handle) == 0 { return PQgetResult(handle) }
        }
    }

    /// Waits until the socket is ready, or for a shorter time.
    ///
    /// If the limit passes, it asks the server to stop. After a further grace the connection is cut. Callers
    /// read, check their data, and wait again.
    func wait(_ exchange: inout Exchange, writing: Bool) throws {
        let handle = try openHandle(exchange)
        // TLS may have taken bytes from the socket that libpq has not read yet, which polling cannot see.
        let slice: ContinuousClock.Instant? = isEncrypted ? .now + Exchange.encryptedSlice : nil
        let until = [slice, exchange.limit].compactMap { $0 }.min()
        if Socket.wait(PQsocket(handle), reading: true, writing: writing, until: until) { return }
        guard let limit = exchange.limit, limit <= .now else { return }
        if exchange.isExpired || givesUpAtDeadline {
            close()
            var error = PostgresError(
                .deadlineExceeded,
                exchange.isExpired
                    ? "The deadline passed, and the server did not answer the cancel request. The connection "
                        + "was closed, and the statement may still run. Look for it in pg_stat_activity."
                    : "The deadline passed before the server answered. The connection was closed. Set a "
                        + "later deadline, or look for a session that holds a lock.",
                phase: exchange.phase, statement: exchange.sql, mayHaveCommitted: exchange.mayCommit)
            error.statementTimeout = exchange.statementTimeout
            throw error
        }
        exchange.isExpired = true
        exchange.limit = .now + Exchange.grace
        canceller.cancelInBackground()
    }

    /// Reads all results of the statement and returns the last one. If one is an error, it throws the first
    /// error.
    ///
    /// - Parameter each: The closure that is called with the results of a script, in their order.
    func finish(_ exchange: inout Exchange, each: (QueryResult) -> Void = { _ in }) throws -> QueryResult {
        var result: QueryResult?
        var failure: PostgresError?
        while let raw = try nextResult(&exchange) {
            switch PQresultStatus(raw) {
            case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY:
                let found = QueryResult(handle: raw)
                each(found)
                result = found
            case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH:
                PQclear(raw)
                close()
                throw PostgresError(
                    .misuse,
                    "A COPY statement was run as a query. The connection was closed. Use copyIn(_:_:) or copyOut.",
                    statement: exchange.sql)
            default:
                failure = failure ?? error(raw, exchange)
                PQclear(raw)
            }
        }
        if let failure {
            if failure.code == .connectionLost { close() }
            throw failure
        }
        guard let result else { throw lost(exchange) }
        try check(result, exchange)
        return result
    }

    /// Checks a result: for the server, COMMIT of a failed transaction succeeds by a rollback.
    func check(_ result: QueryResult, _ exchange: Exchange) throws {
        switch exchange.kind {
        case .commit where result.commandTag == "ROLLBACK":
            var error = PostgresError(
                .server,
                "An earlier statement failed, so COMMIT rolled the transaction back. Correct the cause of that "
                    + "statement's error, and run the transaction again.",
                phase: .commit,
                statement: exchange.sql)
            error.sqlState = SQLState.inFailedTransaction
            throw error
        case .forgetsStatements: cache.removeAll()
        default: break
        }
    }

    func error(_ raw: OpaquePointer, _ exchange: Exchange) -> PostgresError {
        var error = PostgresError(result: raw, phase: exchange.phase, statement: exchange.sql)
        let isGone = handle.map { PQstatus($0) == CONNECTION_BAD } ?? true
        // A pooler answers for a server that it has lost, whatever that server has done.
        if isGone || error.isPoolersAnswer || error.severity == "FATAL" || error.severity == "PANIC" {
            error.code = .connectionLost
            error.mayHaveCommitted = exchange.mayCommit && !error.isOfPoolersQueue
        } else if error.sqlState == SQLState.queryCancelled {
            error.code = exchange.isExpired ? .deadlineExceeded : .cancelled
            if exchange.isExpired { error.statementTimeout = exchange.statementTimeout }
        }
        return error
    }

    func lost(_ exchange: Exchange) -> PostgresError {
        let message = handle.map(Handshake.errorMessage) ?? "The connection was lost. Lease another one."
        close()
        return PostgresError(
            .connectionLost, message, phase: exchange.phase, statement: exchange.sql,
            mayHaveCommitted: exchange.mayCommit)
    }

    func unsent(_ exchange: Exchange) -> PostgresError {
        guard let handle, PQstatus(handle) == CONNECTION_OK else { return lost(exchange) }
        return PostgresError(
            .misuse, Handshake.errorMessage(handle), phase: exchange.phase, statement: exchange.sql)
    }
}
