internal import CLibPQ

extension Connection {
    /// Runs one exchange: checks the state, keeps the deadline, tells the observer.
    ///
    /// - Parameter isKnown: whether the text was prepared before, so that nothing about it needs to be found out.
    func exchange<R>(
        _ sql: String, kind: StatementKind? = nil, isKnown: Bool = false,
        event: StatementEvent.Kind = .statement,
        rows: (R) -> Int, _ body: (inout Exchange) throws -> R
    ) throws -> R {
        let start = observer == nil ? nil : ContinuousClock.now
        do {
            let result = try unobservedExchange(
                sql, kind: isKnown ? .other : kind ?? StatementKind(sql), isKnown: isKnown, body)
            if let start { report(event, sql, start, rows: rows(result), error: nil) }
            return result
        } catch let error as PostgresError {
            if let start { report(event, sql, start, rows: 0, error: error) }
            throw error
        } catch {
            // What the body of a COPY threw. Its description may have values in it.
            if let start {
                let ended = PostgresError(
                    .cancelled, "The caller ended the statement with a \(type(of: error)).", statement: sql)
                report(event, sql, start, rows: 0, error: ended)
            }
            throw error
        }
    }

    func unobservedExchange<R>(
        _ sql: String, kind: StatementKind, isKnown: Bool = false, _ body: (inout Exchange) throws -> R
    ) throws -> R {
        guard handle != nil else {
            throw PostgresError(
                .connectionLost, "The connection is closed; lease another one.", statement: sql)
        }
        guard activity == .ready else {
            throw PostgresError(
                .misuse, "The connection is in the middle of another call; finish that first.", statement: sql
            )
        }
        guard isKnown || !sql.utf8.contains(0) else {
            throw PostgresError(.invalidValue, "The SQL text contains U+0000.")
        }
        var exchange = Exchange(sql, kind: kind, isAutocommit: transactionStatus == .idle)
        // A rollback must get through after the deadline, or locks would outlive the unit of work.
        exchange.limit = kind == .rollback ? .now + Exchange.grace * 5 : statementLimit()
        if let limit = exchange.limit, limit <= .now {
            throw PostgresError(
                .deadlineExceeded, "The deadline passed before the statement was sent.", statement: sql)
        }
        guard canceller.beginStatement(evenIfCancelled: kind == .rollback) else {
            throw PostgresError(.cancelled, "The unit of work was cancelled.", statement: sql)
        }
        activity = .busy
        defer {
            activity = .ready
            if !canceller.endStatement(within: Exchange.grace) { close() }
            if let handle, PQstatus(handle) == CONNECTION_BAD { close() }
        }
        if transactionStatus != .failed { failedState = nil }
        do {
            return try body(&exchange)
        } catch var error as PostgresError {
            if error.sqlState == SQLState.inFailedTransaction {
                error.firstState = failedState
            } else if failedState == nil {
                failedState = error.sqlState
            }
            throw error
        }
    }

    private func statementLimit() -> ContinuousClock.Instant? {
        guard let statementDeadline else { return deadline }
        let own = ContinuousClock.now + statementDeadline
        return deadline.map { min($0, own) } ?? own
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
