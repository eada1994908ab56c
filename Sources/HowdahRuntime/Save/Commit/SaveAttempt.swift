import PQClient

/// One transaction of a save: the state that its stages share.
struct SaveAttempt {
    private let context: ManagedObjectContext
    private let changes: ChangeSet
    private let connection: Connection
    let parkings: [SavePlan.RowUpdate]
    let transaction: SaveTransaction
    private let token: SaveToken?
    private let holdsLocks: Bool
    /// The keys of the new objects.
    var keys = NewKeys()
    /// The rows that the save changes; nil if neither listeners nor the history need them.
    var stored: StoredChanges?
    /// A Boolean value that indicates whether delete rules were applied, and all rows' versions matched until
    /// then.
    var isSettled = false

    init(
        _ context: ManagedObjectContext, _ changes: ChangeSet, _ parkings: [SavePlan.RowUpdate],
        _ connection: Connection, goingOnWith open: SaveTransaction?, holdsLocks: Bool
    ) {
        self.context = context
        self.changes = changes
        self.parkings = parkings
        self.connection = connection
        self.holdsLocks = holdsLocks
        let isNested = context.unit?.isTransaction ?? false
        token = open.map(\.token) ?? (isNested ? nil : context.store.tokens?.next())
        let deletes = !changes.deleted.isEmpty || !changes.discarded.isEmpty
        transaction =
            open
            ?? SaveTransaction(
                connection, isNested: isNested, token: token,
                holdsTriggers: deletes && context.store.layouts.hasDeleteTriggers, in: context.store)
    }

    /// A Boolean value that indicates whether the rows are locked before anything is written.
    var locksRows: Bool {
        holdsLocks || !parkings.isEmpty
            || changes.needsLocks(
                context.store.layouts, isNested: transaction.isNested,
                readsEnds: context.store.history != nil)
    }

    /// Writes and commits. After a lost answer it determines the outcome.
    ///
    /// - Parameter onMiss: Returns the error for missing rows; nil for that of a conflict.
    func commit(
        _ batches: SaveBatches, _ receipt: SaveReceipt,
        onMiss: (([SaveStatement.Guarded]) throws -> SaveError)? = nil
    ) throws -> SaveReceipt {
        try commit(receipt, onMiss) { try $0.commit(batches, onMiss: $1) }
    }

    /// Writes one row and commits, as ``commit(_:_:onMiss:)``.
    func commit(
        _ statement: SaveStatement, _ history: HistoryRows?, _ receipt: SaveReceipt
    ) throws -> SaveReceipt {
        try commit(receipt, nil) { try $0.commit(statement, history: history, onMiss: $1) }
    }

    private func commit(
        _ receipt: SaveReceipt, _ onMiss: (([SaveStatement.Guarded]) throws -> SaveError)?,
        _ write: (SaveTransaction, ([SaveStatement.Guarded]) throws -> SaveError) throws -> Void
    ) throws -> SaveReceipt {
        receipt.stored = stored
        do {
            try write(transaction, onMiss ?? { try Conflicts(context, transaction).error($0) })
            receipt.derived = transaction.derived
            if transaction.isNested { context.noteHistory(stored) }
        } catch let error as PostgresError where error.mayHaveCommitted {
            let isStored = try context.store.wasStored(
                token?.uuid, backend: connection.backendProcessID, deadline: connection.deadline, after: error
            )
            guard isStored else { throw Store.notCommitted(error) }
            receipt.lacksDerived = true
        }
        return receipt
    }

    // MARK: Failures

    /// Returns a Boolean value that indicates whether the rows can stay locked until the next round.
    func keepsLocks(after error: any Error) -> Bool {
        !isSettled && (error as? SaveError)?.code == .conflict && transaction.isOpen
    }

    /// Rolls back, and returns the error that names the cause in the model's terms.
    func abandon(after error: any Error) -> any Error {
        transaction.abandon()
        if error is LateChanges.Restart { return error }
        if let cause = error as? PostgresError, cause.sqlState == SQLState.foreignKeyViolation,
            connection.isUsable,
            let lost = try? LostDestinations(context: context, connection: connection).error(cause, changes)
        {
            return lost
        }
        if let cause = error as? PostgresError, cause.sqlState == SQLState.uniqueViolation,
            connection.isUsable,
            let known = try? ReinsertedRows(context: context, connection: connection).error(changes)
        {
            return known
        }
        return SaveFailure(context.store.layouts, asking: connection).error(
            error, changes, failed: transaction.failed, keys: keys)
    }
}
