import HowdahModel
import PQClient

extension ManagedObjectContext {
    /// Runs the one statement of a batch update or deletion, and does what follows from it, in one transaction.
    ///
    /// A statement that nothing follows from is a transaction by itself, which saves the round trips of BEGIN and COMMIT, or
    /// inside of that of `perform` stands between a savepoint and its release, in one round trip: where it is refused, the
    /// transaction goes on. A statement that reads other rows than it writes locks its rows first, in another round trip.
    ///
    /// - Parameter failure: the error of a request that the server refused, given the statement where it is known.
    /// - Throws: what `failure` makes; `SaveError.outcomeUnknown` where the connection broke and nobody can be asked.
    func runBatch(
        _ statement: BatchStatement, _ effects: BatchEffects, _ name: String,
        _ failure: (any Error, SaveStatement?) -> any Error
    ) throws -> (QueryResult, BatchOutcome) {
        try repeatingDeadlocks { try runBatchOnce(statement, effects, name, failure) }
    }

    /// Runs a batch again if it loses a deadlock and is a transaction of its own, as a save does.
    ///
    /// - Parameter body: does all of the batch anew each time.
    func repeatingDeadlocks<T>(_ body: () throws -> T) throws -> T {
        var attempt = 1
        while true {
            do {
                return try body()
            } catch let error as SaveError
                where attempt < SaveAttempts.attemptLimit && unit?.isTransaction != true
                && error.underlying?.sqlState == SQLState.deadlockDetected
            {
                // Nothing was stored, as each batch is a transaction of its own.
                attempt += 1
                RetryPause.waitAfterDeadlock(before: attempt)
            }
        }
    }

    private func runBatchOnce(
        _ statement: BatchStatement, _ effects: BatchEffects, _ name: String,
        _ failure: (any Error, SaveStatement?) -> any Error
    ) throws -> (QueryResult, BatchOutcome) {
        var outcome = BatchOutcome()
        let isNested = unit?.isTransaction == true
        let isPlain = effects.isEmpty && !statement.readsOtherRows
        if isPlain, !isNested, store.tokens == nil {
            do {
                let result: QueryResult? = try withConnection { connection in
                    // There the transaction looks for the store first.
                    if connection.isPooled { return nil }
                    return try connection.withoutStatementTimeout {
                        try connection.query(statement.whole.sql, statement.whole.parameters)
                    }
                }
                if let result { return (result, outcome) }
            } catch let error as PostgresError where error.mayHaveCommitted {
                throw SaveError(
                    .outcomeUnknown,
                    "The connection broke during the batch \(name); fetch the objects to see whether it was done.",
                    underlying: error)
            } catch {
                throw failure(error, nil)
            }
        }
        let result = try inTransaction { transaction, _ in
            do {
                if isPlain { return try transaction.end(with: [statement.whole])[0] }
                if let result = try effects.run(statement, transaction, &outcome) { return result }
                let result =
                    try statement.readsOtherRows
                    ? statement.run(transaction) : transaction.run([statement.whole])[0]
                try effects.run(transaction, [:], &outcome)
                return result
            } catch {
                throw failure(error, transaction.failed)
            }
        }
        return (result, outcome)
    }
}
