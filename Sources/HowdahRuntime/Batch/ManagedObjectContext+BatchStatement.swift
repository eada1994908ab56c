import PQClient

extension ManagedObjectContext {
    /// Runs the one statement of a batch update or deletion, and its effects, in one transaction.
    ///
    /// A statement without effects is a transaction by itself, which saves the round trips of BEGIN and
    /// COMMIT. Inside of the transaction of `perform` it is sent between a savepoint and its release, in one
    /// round trip. If it is refused, the transaction continues. A statement that reads other rows than it
    /// writes locks its rows first, in another round trip.
    ///
    /// In a store with history, the statement writes it too. A deletion that reaches other rows finds and locks these
    /// first, in one more round trip for each level and relationship. A deletion that clears references locks all deleted
    /// rows first, in one round trip for each level.
    ///
    /// - Parameters:
    ///   - needsRows: Indicates whether the result has the keys of the rows.
    ///   - failure: Makes the error of a request that the server refused, given the statement if it is known.
    /// - Throws: The error that `failure` makes; `SaveError.outcomeUnknown` if the connection broke and the
    ///   outcome cannot be determined.
    func runBatch(
        _ statement: BatchStatement, _ effects: BatchEffects, _ name: String, needsRows: Bool,
        _ failure: (any Error, SaveStatement?) -> any Error
    ) throws -> (BatchOutcome.Rows, BatchOutcome) {
        try store.checkWritable()
        try checkNoOpenWriting("execute(_:)")
        return try repeatingDeadlocks {
            try runBatchOnce(statement, effects, name, needsRows: needsRows, failure)
        }
    }

    /// Runs a batch again if it loses a race and is a separate transaction, as a save does.
    ///
    /// - Parameter body: Repeats the whole batch each time.
    func repeatingDeadlocks<T>(_ body: () throws -> T) throws -> T {
        var attempt = 1
        while true {
            do {
                return try body()
            } catch let error as SaveError
                where attempt < SaveAttempts.attemptLimit && unit?.isTransaction != true
                && (error.databaseError?.isConcurrencyConflict ?? (error.code == .serializationFailure))
            {
                // Nothing was stored, as each batch is a transaction of its own.
                attempt += 1
                store.events.emit(.retry(.init(work: .batch, attempt: attempt, error: error)))
                RetryPause.waitAfterDeadlock(before: attempt)
            }
        }
    }

    private func runBatchOnce(
        _ statement: BatchStatement, _ effects: BatchEffects, _ name: String, needsRows: Bool,
        _ failure: (any Error, SaveStatement?) -> any Error
    ) throws -> (BatchOutcome.Rows, BatchOutcome) {
        var outcome = BatchOutcome()
        let isNested = unit?.isTransaction == true
        let isPlain =
            effects.isEmpty && !statement.readsOtherRows && statement.choice == nil
            && !reachesOthers(statement)
        // A statement with its history returns a number instead of rows.
        let traced = isPlain && !isNested ? try statement.wholeWithHistory(returnsRows: needsRows) : nil
        func rows(_ result: QueryResult) -> (BatchOutcome.Rows, BatchOutcome) {
            outcome.count =
                traced == nil || needsRows ? result.affectedRows : Int(result.scalar { $0.int64 } ?? 0)
            return (BatchOutcome.Rows(result, of: statement.layout, hasIDs: needsRows), outcome)
        }
        if isPlain, !isNested, store.tokens == nil {
            do {
                let result: QueryResult? = try withConnection { connection in
                    // There the transaction looks for the store first.
                    if connection.isPooled { return nil }
                    return try connection.withoutStatementTimeout {
                        let transaction = SaveTransaction(connection, isNested: false, in: store)
                        transaction.comment = statement.comment
                        return try transaction.send(traced ?? statement.whole)
                    }
                }
                if let result { return rows(result) }
            } catch let error as PostgresError where error.mayHaveCommitted {
                throw SaveError(
                    .outcomeUnknown,
                    "The connection was lost during the batch \(name). Fetch the objects to find out if the \(name) "
                        + "was committed.",
                    databaseError: error)
            } catch {
                throw failure(error, traced == nil ? statement.whole : nil)
            }
        }
        let result = try inTransaction { transaction, _ in
            transaction.comment = statement.comment
            do {
                let result =
                    isPlain
                    ? try plain(traced ?? statement.whole, statement, transaction, isTraced: traced != nil)
                    : try withEffects(statement, effects, transaction, &outcome)
                transaction.stored.add(store.history == nil ? [] : outcome.followers, in: self)
                return result
            } catch {
                throw failure(error, transaction.failed)
            }
        }
        return rows(result)
    }

    /// Sends a statement without effects, in the round trip of COMMIT.
    private func plain(
        _ sent: SaveStatement, _ statement: BatchStatement, _ transaction: SaveTransaction, isTraced: Bool
    ) throws -> QueryResult {
        guard let trace = statement.trace, !isTraced else { return try transaction.end(with: [sent])[0] }
        let former = statement.former.map { [$0] } ?? []
        let results = try transaction.end(with: former + [sent])
        if !former.isEmpty { trace.noteEnds(results[0], from: 0, in: &transaction.stored) }
        trace.note(results[former.count], in: &transaction.stored)
        return results[former.count]
    }

    private func withEffects(
        _ statement: BatchStatement, _ effects: BatchEffects, _ transaction: SaveTransaction,
        _ outcome: inout BatchOutcome
    ) throws -> QueryResult {
        var statement = statement
        if let choice = statement.choice {
            let keys = try transaction.run([choice])[0].map { $0[0].int64 }
            statement = statement.limited(to: keys)
        }
        var deletion: DeletionTrace?
        if let trace = statement.trace {
            if let former = statement.former {
                trace.noteEnds(try transaction.run([former])[0], from: 0, in: &transaction.stored)
            }
            if reachesOthers(statement) {
                var reach = DeletionTrace(self, transaction)
                try reach.collect(statement, trace)
                statement = statement.naming(reach.keys)
                deletion = reach
            }
        }
        if let cleared = effects.cleared {
            let keys = try statement.keys ?? cleared.lock(statement, in: transaction)
            statement = statement.naming(keys)
            statement.clearing = try cleared.clearing(
                keys, of: statement.layout.table,
                returnsRows: followed.hasListeners(besides: nil), in: transaction, layouts)
        }
        let result: QueryResult
        if let known = try effects.run(statement, transaction, &outcome) {
            result = known
        } else if statement.readsOtherRows {
            result = try statement.run(transaction)
            try effects.run(transaction, [:], &outcome)
        } else {
            let sent = (statement.clearing?.statements ?? []) + [statement.whole]
            var results = try transaction.run(sent)
            result = results.removeLast()
            outcome.cleared = statement.clearing?.rows(results) ?? []
            try effects.run(transaction, [:], &outcome)
        }
        try statement.clearing?.checkDeletion(in: transaction)
        if let deletion {
            statement.trace?.noteEnds(of: result, in: &transaction.stored)
            try deletion.note()
        } else {
            statement.trace?.note(result, in: &transaction.stored)
        }
        return result
    }

    /// Returns a Boolean value that indicates whether the history of a deletion must find rows of others first.
    private func reachesOthers(_ statement: BatchStatement) -> Bool {
        guard let trace = statement.trace, trace.kind == .deletion else { return false }
        return trace.layout.family.contains {
            store.layouts.deletionReachesOthers(layouts[$0])
                || !store.layouts.oneWayLinks(to: layouts[$0]).isEmpty
        }
    }
}
