import HowdahModel
import HowdahSchema
import PQClient

/// A transaction with exclusive access to a store: no other session opens, migrates or uses it meanwhile.
struct StoreExclusion {
    let connection: Connection
    let schemaName: String
    /// The time of the last attempt.
    let end: ContinuousClock.Instant
    /// A Boolean value that indicates whether the sessions of open containers are ended.
    let endsSessions: Bool

    /// The time that one attempt waits for a table, while readers and writers queue after it.
    private static let lockTimeoutInMilliseconds = 2_000
    private static let pause = Duration.milliseconds(100)

    /// Runs `body` in the transaction, and commits.
    ///
    /// If a table cannot be locked in time, all is rolled back and `body` runs again, until the time is over.
    ///
    /// - Throws: `StoreError` with `inUse`, naming sessions; the error of the body; `PostgresError`.
    func run<T>(_ body: () throws -> T) throws -> T {
        while true {
            do {
                try connection.begin()
                if let obstacle = try obstacle() {
                    try connection.rollback()
                    guard .now < end else { throw obstacle }
                    connection.canceller.pause(for: Self.pause)
                    continue
                }
                try limitWaiting()
                let result = try body()
                try connection.commit()
                return result
            } catch let error as PostgresError where Self.isOfLocks(error) {
                try connection.rollback()
                guard .now < end else { throw locked(error) }
                connection.canceller.pause(for: Self.pause)
            } catch {
                // The error that led here is the one to report.
                if connection.isUsable { try? connection.rollback() }
                throw error
            }
        }
    }

    /// Takes both locks, and returns the error if one is not available.
    private func obstacle() throws -> StoreError? {
        let work = StoreLock.work(on: schemaName)
        guard try work.take(on: connection) else {
            return StoreError(
                .inUse,
                "Another program creates, migrates, destroys or replaces the store in schema "
                    + "'\(schemaName)'\(StoreLock.list(try work.holders(on: connection))). Nothing was "
                    + "changed. Wait until that program has finished, or end it, and retry."
            )
        }
        let open = StoreLock.open(schemaName)
        if try open.take(on: connection) { return nil }
        let holders = try open.holders(on: connection)
        if endsSessions, try endSessions(open) { return nil }
        return StoreError(
            .inUse,
            "Other programs have the store in schema '\(schemaName)' open\(StoreLock.list(holders)). Nothing was "
                + "changed. Close their containers, or end their sessions with endingSessions."
        )
    }

    /// Ends the sessions of open containers, and waits for their lock; true if it was available.
    ///
    /// If programs connect again meanwhile, they wait at the gate.
    private func endSessions(_ open: StoreLock) throws -> Bool {
        do {
            try limitWaiting()
            try StoreLock.gate(of: schemaName).wait(on: connection)
        } catch let error as PostgresError where Self.isOfLocks(error) {
            return false
        }
        do {
            try open.endHolders(on: connection)
        } catch let error as PostgresError where error.sqlState == SQLState.insufficientPrivilege {
            throw StoreError(
                .missingGrant,
                "The role may not end sessions of other roles. Nothing was changed. Grant the role "
                    + "pg_signal_backend, or use the role of those sessions.", databaseError: error)
        }
        do {
            try open.wait(on: connection)
            return true
        } catch let error as PostgresError where Self.isOfLocks(error) {
            return false
        }
    }

    private func limitWaiting() throws {
        try connection.executeScript(
            "SET LOCAL lock_timeout = \(SQLLiteral.integer(Self.lockTimeoutInMilliseconds))")
    }

    private static func isOfLocks(_ error: PostgresError) -> Bool {
        error.sqlState == SQLState.lockNotAvailable || error.sqlState == SQLState.deadlockDetected
    }

    private func locked(_ error: PostgresError) -> StoreError {
        StoreError(
            .inUse,
            "Transactions of other programs have locked tables of the store in schema '\(schemaName)'. Nothing was "
                + "changed. End those transactions, or retry with a longer timeout.", databaseError: error)
    }
}
