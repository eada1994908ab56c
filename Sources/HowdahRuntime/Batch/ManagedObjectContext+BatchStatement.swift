import HowdahModel
import PQClient

extension ManagedObjectContext {
    /// Runs the one statement of a batch update or deletion, and its effects, in one transaction.
    ///
    /// A statement without effects is a transaction by itself, which saves the round trips of BEGIN and
    /// COMMIT. Inside of the transaction of `perform` it is sent between a savepoint and its release, in one
    /// round trip. If it is refused, the transaction continues. A statement that reads other rows than it
    /// writes locks its rows first, in another round trip.
    ///
    /// - Parameter failure: Makes the error of a request that the server refused, given the statement if it
    ///   is known.
    /// - Throws: The error that `failure` makes; `SaveError.outcomeUnknown` if the connection broke and the
    ///   outcome cannot be determined.
    func runBatch(
        _ statement: BatchStatement, _ effects: BatchEffects, _ name: String,
        _ failure: (any Error, SaveStatement?) -> any Error
    ) throws -> (QueryResult, BatchOutcome) {
        try store.checkWritable()
        try checkNoOpenWriting("execute(_:)")
        return try repeatingDeadlocks { try runBatchOnce(statement, effects, name, failure) }
    }

    /// Runs a batch again if it loses a deadlock and is a separate transaction, as a save does.
    ///
    /// - Parameter body: Repeats the whole batch each time.
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
        let isPlain = effects.isEmpty && !statement.readsOtherRows && statement.choice == nil
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
                    "The connection was lost during the batch \(name). Fetch the objects to find out if the \(name) "
                        + "was committed.",
                    underlying: error)
            } catch {
                throw failure(error, nil)
            }
        }
        let result = try inTransaction { transaction, _ in
            do {
                var statement = statement
                if let choice = statement.choice {
                    let keys = try transaction.run([choice])[0].map { $0[0].int64 }
                    statement = statement.limited(to: keys)
                }
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
