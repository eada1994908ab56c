internal import CLibPQ

extension Connection {
    /// Opens a transaction; one round trip.
    ///
    /// - Parameters:
    ///   - isolation: The isolation level of the transaction.
    ///   - readOnly: Indicates whether the server refuses changes in the transaction.
    /// - Throws: ``PostgresError`` with code `misuse` if a transaction is open.
    public func begin(isolation: Isolation = .readCommitted, readOnly: Bool = false) throws {
        guard transactionStatus == .idle || !isUsable else {
            throw PostgresError(
                .misuse, "A transaction is open. Use a savepoint, or commit or roll back first.")
        }
        isAskedToReadOnly = readOnly || isReadOnlySession
        try control(
            "BEGIN ISOLATION LEVEL \(isolation.rawValue) READ \(isAskedToReadOnly ? "ONLY" : "WRITE")")
    }

    /// Makes the transaction durable; one round trip.
    ///
    /// - Throws: ``PostgresError`` with one of these codes:
    ///   - `misuse`: No transaction is open.
    ///   - `server`: Nothing was committed. If a statement had failed before, the SQLSTATE is 25P02.
    ///   - `connectionLost` or `deadlineExceeded`: If `mayHaveCommitted` is true, the outcome is unknown.
    public func commit() throws {
        guard transactionStatus != .idle else { throw Self.noTransaction }
        try control("COMMIT", .commit)
    }

    /// Undoes the transaction; one round trip, or none if no transaction is open.
    ///
    /// It also works after the deadline, and after a cancelled unit of work. Then it takes up to a second,
    /// and otherwise up to 5 seconds.
    public func rollback() throws {
        guard transactionStatus != .idle else { return }
        try control("ROLLBACK", .rollback)
    }

    /// Sets a savepoint, to which ``rollback(toSavepoint:)`` can return; one round trip.
    ///
    /// - Throws: ``PostgresError`` with code `misuse` if no transaction is open.
    public func savepoint(_ name: String) throws {
        guard transactionStatus != .idle else { throw Self.noTransaction }
        try control("SAVEPOINT \(SQLIdentifier.quoted(name))")
    }

    /// Undoes everything since the savepoint, which stays; one round trip.
    ///
    /// A failed transaction is usable again afterwards.
    ///
    /// - Throws: ``PostgresError`` with code `misuse` if no transaction is open.
    public func rollback(toSavepoint name: String) throws {
        guard transactionStatus != .idle else { throw Self.noTransaction }
        try control("ROLLBACK TO SAVEPOINT \(SQLIdentifier.quoted(name))")
    }

    /// Removes the savepoint and keeps the changes since then; one round trip.
    ///
    /// - Throws: ``PostgresError`` with code `misuse` if no transaction is open.
    public func release(savepoint name: String) throws {
        guard transactionStatus != .idle else { throw Self.noTransaction }
        try control("RELEASE SAVEPOINT \(SQLIdentifier.quoted(name))")
    }

    private func control(_ sql: String, _ operation: StatementSubject.Operation = .transaction) throws {
        let subject = StatementSubject(operation)
        _ = try exchange(sql, event: .transaction, about: subject, rows: { _ in 0 }) { exchange in
            let handle = try openHandle(exchange)
            try sent(PQsendQuery(handle, sql), &exchange)
            return try finish(&exchange)
        }
    }

    private static var noTransaction: PostgresError {
        PostgresError(.misuse, "No transaction is open. Call begin(isolation:readOnly:) first.")
    }
}
