internal import CLibPQ

extension Connection {
    /// Opens a transaction; one round trip.
    ///
    /// - Throws: ``PostgresError`` with code `misuse` when one is open.
    public func begin(isolation: Isolation = .readCommitted, readOnly: Bool = false) throws {
        guard transactionStatus == .idle || !isUsable else {
            throw PostgresError(
                .misuse, "A transaction is open. Use a savepoint, or commit or roll back first.")
        }
        isAskedToReadOnly = readOnly
        try control(
            "BEGIN ISOLATION LEVEL \(isolation.rawValue) READ \(readOnly ? "ONLY" : "WRITE")")
    }

    /// Makes the transaction durable; one round trip.
    ///
    /// - Throws: ``PostgresError`` with code `misuse` outside of a transaction; `server` when nothing was
    ///   committed, with SQLSTATE 25P02 when a statement had failed before; `connectionLost` or `deadlineExceeded`
    ///   with `mayHaveCommitted` when the outcome is unknown.
    public func commit() throws {
        guard transactionStatus != .idle else { throw Self.noTransaction }
        try control("COMMIT")
    }

    /// Undoes the transaction; one round trip, none when no transaction is open.
    ///
    /// Works after the deadline and after a cancelled unit of work, for up to a second; before, for up to 5 seconds.
    public func rollback() throws {
        guard transactionStatus != .idle else { return }
        try control("ROLLBACK")
    }

    /// Sets a point to which ``rollback(toSavepoint:)`` can return.
    public func savepoint(_ name: String) throws {
        guard transactionStatus != .idle else { throw Self.noTransaction }
        try control("SAVEPOINT \(SQLIdentifier.quoted(name))")
    }

    /// Undoes everything since the savepoint, which stays; makes a failed transaction usable again.
    public func rollback(toSavepoint name: String) throws {
        guard transactionStatus != .idle else { throw Self.noTransaction }
        try control("ROLLBACK TO SAVEPOINT \(SQLIdentifier.quoted(name))")
    }

    /// Forgets the savepoint and keeps what was done since.
    public func release(savepoint name: String) throws {
        guard transactionStatus != .idle else { throw Self.noTransaction }
        try control("RELEASE SAVEPOINT \(SQLIdentifier.quoted(name))")
    }

    private func control(_ sql: String) throws {
        _ = try exchange(sql, event: .transaction, rows: { _ in 0 }) { exchange in
            let handle = try openHandle(exchange)
            try sent(PQsendQuery(handle, sql), &exchange)
            return try finish(&exchange)
        }
    }

    private static var noTransaction: PostgresError {
        PostgresError(.misuse, "No transaction is open. Call begin(isolation:readOnly:) first.")
    }
}
