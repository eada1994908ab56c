internal import CLibPQ

extension Connection {
    /// Runs one exchange: checks the state, keeps the deadline, calls the observer.
    ///
    /// - Parameter isKnown: Indicates whether the text was prepared before. Then it needs no further check.
    func exchange<R>(
        _ sql: String, kind: StatementKind? = nil, isKnown: Bool = false,
        event: StatementEvent.Kind = .statement,
        rows: (R) -> Int, _ body: (inout Exchange) throws -> R
    ) throws -> R {
        let start = observer == nil ? nil : ContinuousClock.now
        do {
            let result = try unobservedExchange(
                sql, kind: isKnown ? .other : kind ?? StatementKind(sql), isKnown: isKnown,
                isCopy: event == .copy, body)
            if let start { report(event, sql, start, rows: rows(result), error: nil) }
            return result
        } catch let error as PostgresError {
            if let start { report(event, sql, start, rows: 0, error: error) }
            throw error
        } catch {
            // What the body of a COPY threw. Its description may have values in it.
            if let start {
                let ended = PostgresError(
                    .cancelled, "The caller's body ended the statement: it threw a \(type(of: error)).",
                    statement: sql)
                report(event, sql, start, rows: 0, error: ended)
            }
            throw error
        }
    }

    func unobservedExchange<R>(
        _ sql: String, kind: StatementKind, isKnown: Bool = false, isCopy: Bool = false,
        _ body: (inout Exchange) throws -> R
    ) throws -> R {
        guard handle != nil else {
            throw PostgresError(
                .connectionLost, "The connection is closed. Lease another one.", statement: sql)
        }
        guard activity == .ready else {
            throw PostgresError(
                .misuse, "The connection runs another call. Finish that call first.", statement: sql
            )
        }
        guard isKnown || !sql.utf8.contains(0) else {
            throw PostgresError(.invalidValue, "The SQL text contains U+0000. Remove that character.")
        }
        var exchange = Exchange(sql, kind: kind, isAutocommit: transactionStatus == .idle)
        setLimit(of: &exchange, isCopy: isCopy)
        if let limit = exchange.limit, limit <= .now {
            throw PostgresError(
                .deadlineExceeded, "The deadline passed before the statement was sent. Set a later deadline.",
                statement: sql)
        }
        guard canceller.beginStatement(evenIfCancelled: kind == .rollback) else {
            throw PostgresError(
                .cancelled, "The calling task was cancelled, so the statement was not sent.", statement: sql)
        }
        activity = .busy
        defer {
            activity = .ready
            // A request on its way could hit the next statement; of a connection that is gone there is none.
            let isGone = handle.map { PQstatus($0) == CONNECTION_BAD } ?? true
            if !canceller.endStatement(within: isGone ? .zero : Exchange.grace) || isGone { close() }
        }
        if transactionStatus != .failed { failedState = nil }
        do {
            return try body(&exchange)
        } catch var error as PostgresError {
            if error.code == .connectionLost, canceller.isSevered {
                error.code = .cancelled
                error.message =
                    "The server did not answer the cancel request. The connection was closed, and the "
                    + "statement may still run. Look for it in pg_stat_activity."
            }
            if error.sqlState == SQLState.readOnlyTransaction, !isAskedToReadOnly { isReadOnly = true }
            if error.sqlState == SQLState.inFailedTransaction {
                error.firstState = failedState
            } else if failedState == nil {
                failedState = error.sqlState
            }
            throw error
        }
    }

    private func setLimit(of exchange: inout Exchange, isCopy: Bool) {
        if exchange.kind == .rollback {
            // A rollback must get through after the deadline, or locks would outlive the unit of work. A unit that has to
            // end, now or while this waits, waits for a silent server only once more.
            let now = ContinuousClock.now
            let patience = now + Exchange.grace * 5
            let last = canceller.rejectsWork ? now : deadline.map { max($0, now) }
            exchange.limit = min(patience, last.map { $0 + Exchange.grace } ?? patience)
            exchange.isExpired = exchange.limit.map { $0 < patience } ?? false
            return
        }
        exchange.limit = deadline
        guard let statementTimeout, !isCopy else { return }
        let own = ContinuousClock.now + statementTimeout
        if let deadline, deadline <= own { return }
        exchange.limit = own
        exchange.statementTimeout = statementTimeout
    }

    func report(
        _ kind: StatementEvent.Kind, _ sql: String, _ start: ContinuousClock.Instant, rows: Int,
        error: PostgresError?, batchIndex: Int? = nil
    ) {
        observer?(
            StatementEvent(
                kind: kind, sql: sql, duration: start.duration(to: .now), rows: rows, batchIndex: batchIndex,
                error: error))
    }
}
