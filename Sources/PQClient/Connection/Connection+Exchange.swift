internal import CLibPQ

extension Connection {
    /// Runs one exchange: checks the state, keeps the deadline, calls the observer.
    ///
    /// - Parameters:
    ///   - isKnown: Indicates whether the text was prepared before. Then it needs no further check.
    ///   - isWriting: Returns a Boolean value that indicates whether the rows are those that the statement wrote. It is
    ///     asked only of a statement without a subject, which states that otherwise.
    func exchange<R>(
        _ sql: String, kind: StatementKind? = nil, isKnown: Bool = false,
        event: StatementEvent.Kind = .statement, about stated: StatementSubject? = nil,
        rows: (R) -> Int, isWriting: (R) -> Bool = { _ in false }, _ body: (inout Exchange) throws -> R
    ) throws -> R {
        let start = beginObserved()
        do {
            let result = try unobservedExchange(
                sql, kind: isKnown ? .other : kind ?? StatementKind(sql), isKnown: isKnown,
                isCopy: event == .copy, body)
            if let start {
                let isOwnWriting = stated == nil && subject == nil && isWriting(result)
                reportSuccess(
                    event, sql, start, rows: rows(result), isOwnWriting: isOwnWriting, about: stated)
            }
            return result
        } catch let error as PostgresError {
            if let start, !error.isUnsent { report(event, sql, start, rows: 0, error: error, about: stated) }
            throw error
        } catch {
            // What the body of a COPY threw. Its description may have values in it.
            if let start {
                let ended = PostgresError(
                    .cancelled, "The caller's body ended the statement: it threw a \(type(of: error)).",
                    statement: sql)
                report(event, sql, start, rows: 0, error: ended, about: stated)
            }
            throw error
        }
    }

    func unobservedExchange<R>(
        _ sql: String, kind: StatementKind, isKnown: Bool = false, isCopy: Bool = false,
        _ body: (inout Exchange) throws -> R
    ) throws -> R {
        var exchange = Exchange(sql, kind: kind, isAutocommit: transactionStatus == .idle)
        do {
            try admit(&exchange, sql, isKnown: isKnown, isCopy: isCopy)
        } catch {
            var unsent = error
            unsent.isUnsent = true
            throw unsent
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
            // Something was sent, even if the body of a COPY threw the error of a statement that was not.
            error.isUnsent = false
            // Its end follows, which else the next statement would find.
            if error.isPoolersAnswer { close() }
            if error.code == .connectionLost, canceller.isShutDown {
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

    /// Checks that a statement can be sent, and sets its limit.
    private func admit(
        _ exchange: inout Exchange, _ sql: String, isKnown: Bool, isCopy: Bool
    ) throws(PostgresError) {
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
        setLimit(of: &exchange, isCopy: isCopy)
        if let limit = exchange.limit, limit <= .now {
            throw PostgresError(
                .deadlineExceeded, "The deadline passed before the statement was sent. Set a later deadline.",
                statement: sql)
        }
        guard canceller.beginStatement(evenIfCancelled: exchange.kind == .rollback) else {
            throw PostgresError(
                .cancelled, "The calling task was cancelled, so the statement was not sent.", statement: sql)
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

    /// Runs `body`, whose statements have a subject that observers receive.
    package func about<R>(_ subject: StatementSubject, _ body: () throws -> R) rethrows -> R {
        let outer = self.subject
        self.subject = subject
        defer { self.subject = outer }
        return try body()
    }

    /// Reports a statement that succeeded to observers that need it.
    private func reportSuccess(
        _ kind: StatementEvent.Kind, _ sql: String, _ start: MonotonicTime, rows: Int, isOwnWriting: Bool,
        about stated: StatementSubject?
    ) {
        if let roundTripObserver {
            let now = MonotonicTime.now
            let time = now.nanoseconds(since: start)
            switch roundTripObserver.need(after: time) {
            case .nothing: return
            case .numbers:
                // Copying one of the two subjects would count references.
                let key =
                    stated?.roundTripKey ?? subject?.roundTripKey
                    ?? (isOwnWriting ? .ownWriting : RoundTripKey(nil, nil))
                if key.isTallied { return count(key, time, rows: rows, at: now, for: roundTripObserver) }
            case .everything: break
            }
        }
        report(kind, sql, start, rows: rows, isOwnWriting: isOwnWriting, error: nil, about: stated)
    }

    /// Reports a statement that was a round trip by itself.
    func report(
        _ kind: StatementEvent.Kind, _ sql: String, _ start: MonotonicTime, rows: Int,
        isOwnWriting: Bool = false, error: PostgresError?, about stated: StatementSubject? = nil
    ) {
        let event = StatementEvent(
            kind: kind, sql: sql, duration: .nanoseconds(MonotonicTime.now.nanoseconds(since: start)),
            rows: rows, batchIndex: nil, error: error, subject: stated ?? subject,
            isOwnWriting: isOwnWriting)
        observer?(event)
        roundTripObserver?.observe(event)
    }
}
