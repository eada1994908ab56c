import HowdahModel
import PQClient

extension ManagedObjectContext {
    /// Runs the one statement of a batch update or deletion, and does what follows from it, in one transaction.
    ///
    /// A statement that nothing follows from is a transaction by itself, which saves the round trips of BEGIN and COMMIT, or
    /// inside of that of `perform` stands between a savepoint and its release, in one round trip: where it is refused, the
    /// transaction goes on.
    ///
    /// - Parameter failure: the error of a request that the server refused, given the statement where it is known.
    /// - Throws: what `failure` makes; `SaveError.outcomeUnknown` where the connection broke and nobody can be asked.
    func runBatch(
        _ statement: SaveStatement, _ effects: BatchEffects, _ name: String,
        _ failure: (any Error, SaveStatement?) -> any Error
    ) throws -> (QueryResult, BatchOutcome) {
        var outcome = BatchOutcome()
        let isNested = unit?.isTransaction == true
        if effects.isEmpty, !isNested, store.tokens == nil {
            do {
                return (try withConnection { try $0.query(statement.sql, statement.parameters) }, outcome)
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
                if effects.isEmpty, isNested { return try transaction.end(with: [statement])[0] }
                let result = try transaction.run([statement])[0]
                try effects.run(transaction, [:], &outcome)
                return result
            } catch {
                throw failure(error, transaction.failed)
            }
        }
        return (result, outcome)
    }
}
