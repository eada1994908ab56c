import PQClient

/// The repetitions of one save.
///
/// After these errors a save runs again:
///
/// - `conflict`, if the policy is not plain `MergePolicy.error`. The policy resolves the conflicts, and the
///   whole pipeline runs again, 10 times in all.
/// - `uniqueness`, on the same condition and with the same effect. If only the server finds clashes, the
///   policy gets an empty list. It runs 10 times in all, or until the server has found 3 such clashes.
/// - `referentialIntegrity`, on the same condition, if an optional reference refers to a deleted row. The
///   effect is that of `conflict`, 10 times in all.
/// - `notCommitted`, or any error with the SQLSTATE of a lost deadlock or of a serialization failure in
///   `databaseError`, without a larger transaction. After a pause stages 2 to 6 run again, 5 times a round. If
///   the connection is lost, they run on another one.
/// - a refused COPY, because row level security applies to the table. Stages 2 to 6 run again at once, and
///   insert these rows without COPY.
///
/// All other errors are thrown at once. From the sixth round the rows stay locked, in a `perform` without an
/// isolation; never in a view context or a larger transaction. A child's save has a separate loop in
/// ``PushPipeline``: 10 rounds, without pauses and locks, and without `uniqueness`.
///
/// In both, the whole pipeline runs again, at most 3 times, if `transformed()` or a log handler changes
/// objects before all values are read.
struct SaveAttempts {
    /// The number of attempts of a transaction that loses a deadlock, or its connection during an
    /// unsuccessful COMMIT.
    static let attemptLimit = 5
    /// The number of rounds in which conflicts are resolved before the save throws them.
    private static let roundLimit = 10
    /// The number of rounds after which rows stay locked from the check of the stored rows to the next
    /// attempt.
    ///
    /// Then another session cannot be faster again.
    private static let unlockedRounds = 5
    /// The number of times that the server may find a clash that the check before did not: a race.
    private static let raceLimit = 2

    let context: ManagedObjectContext
    /// The numbers of rows that were stored, if anything observes the store; nil if nothing was there to be stored.
    var stored: (inserted: Int, updated: Int, deleted: Int)?
    /// The number of attempts so far, for observers.
    private(set) var attempts = 1
    /// The objects whose `willSave` was called.
    var notified: Set<ObjectIdentifier> = []
    private var round = 1
    private var races = 0
    /// A Boolean value that indicates whether a conflict leaves the transaction open, with the rows locked.
    private var holdsLocks = false
    /// That transaction, with which the next round continues.
    private var held: SaveTransaction?

    init(_ context: ManagedObjectContext) { self.context = context }

    /// Runs the pipeline until its changes are stored.
    ///
    /// - Throws: The error that neither a policy nor another attempt resolves.
    mutating func run() throws {
        try context.throwFailure()
        context.tellWillSave()
        context.changes.forgetSuperseded()
        defer { held?.abandon() }
        while true {
            // A view context has no unit.
            holdsLocks =
                round > Self.unlockedRounds && context.mergePolicy.resolves
                && context.unit?.isTransaction == false
            do {
                return try SavePipeline(context: context).run(&self)
            } catch is LateChanges.Restart {
                context.changes.noteRestart()
            } catch let error as SaveError {
                try observingConflict(error) { try $0.resolve(error) }
                round += 1
                noteRetry(after: error)
            }
        }
    }

    // MARK: Conflicts

    /// Lets the merge policy resolve the conflicts of a round.
    ///
    /// - Throws: The error if the policy does not resolve it, or the rounds are over; the error of the
    ///   policy.
    private mutating func resolve(_ error: SaveError) throws {
        let goesOn = context.mergePolicy.resolves && round < Self.roundLimit
        switch error.code {
        case .conflict:
            let found = context.changes.takeConflicts()
            // A version that the program named is compared whatever the policy is.
            guard goesOn, !found.isEmpty, !context.changes.expectsVersion(ofAny: found) else { throw error }
            try withPolicy { try $0.resolve(optimisticLockingConflicts: found) }
            if held == nil { pause() }
        case .referentialIntegrity:
            let found = context.changes.takeConflicts()
            guard goesOn, !found.isEmpty else { throw error }
            try withPolicy { try $0.resolve(optimisticLockingConflicts: found) }
            // A required reference has nothing to fall back on.
            if found.contains(where: { $0.lost.contains(where: \.remains) }) { throw error }
            pause()
        case .uniqueness:
            let found = context.changes.takeConstraintConflicts()
            guard goesOn else { throw error }
            // The server found what the look before did not: a race, or nothing that a policy can mend.
            if found.isEmpty {
                guard error.databaseError != nil, races < Self.raceLimit else { throw error }
                races += 1
            }
            try withPolicy { try $0.resolve(constraintConflicts: found) }
            pause()
        default: throw error
        }
    }

    private func pause() { RetryPause.wait(before: round + 1) }

    /// - Throws: The error of the policy, or of a fault that it read: stored values must be the intended
    ///   ones.
    private func withPolicy(_ body: (MergePolicy) throws -> Void) throws {
        try context.indexingReferences { try body(context.mergePolicy) }
        try context.throwFailure()
    }

    // MARK: Transactions

    /// Runs stages 2 to 6 in a transaction that has no effect if it fails, and again after a lost deadlock.
    mutating func store(
        _ changes: ChangeSet, _ stages: (inout SaveAttempt) throws -> SaveReceipt
    ) throws -> SaveReceipt {
        // Values that change hands within the save go by way of others.
        let parkings = try UniqueParking(layouts: context.store.layouts).parkings(for: changes.updated)
        do {
            // A lost connection is replaced with each attempt.
            let receipt = try repeating { attempts in
                try attempts.context.withConnection { connection in
                    try attempts.once(changes, parkings, connection, stages)
                }
            }
            noteStored(receipt)
            return receipt
        } catch let error as PostgresError {
            throw SaveFailure(context.store.layouts).error(error, changes)
        }
    }

    private mutating func once(
        _ changes: ChangeSet, _ parkings: [SavePlan.RowUpdate], _ connection: Connection,
        _ stages: (inout SaveAttempt) throws -> SaveReceipt
    ) throws -> SaveReceipt {
        let open = held.flatMap { $0.isOpen ? $0 : nil }
        // A statement of the policy's own may have failed in it.
        if open == nil { held?.abandon() }
        held = nil
        var attempt = SaveAttempt(
            context, changes, parkings, connection, goingOnWith: open, holdsLocks: holdsLocks)
        do {
            let keys = try NewKeys(changes.inserted, context.store.keys, connection)
            attempt.keys = keys
            if !keys.isEmpty { context.registry.expect(InsertedObjects(changes.inserted) { keys[$0] }) }
            return try stages(&attempt)
        } catch {
            context.registry.endArrivals()
            if holdsLocks, attempt.keepsLocks(after: error) {
                held = attempt.transaction
                throw error
            }
            throw attempt.abandon(after: error)
        }
    }

    /// Repeats a save outside of an enclosing transaction that lost a deadlock, or its connection during an
    /// unsuccessful COMMIT. Repeats any save whose COPY the server refused.
    private mutating func repeating(
        _ body: (inout SaveAttempts) throws -> SaveReceipt
    ) throws -> SaveReceipt {
        let isNested = context.unit?.isTransaction == true
        var attempt = 1
        while true {
            let refused = context.store.copies.tables
            do {
                return try body(&self)
            } catch let error as SaveError
                where error.databaseError?.sqlState == SQLState.featureNotSupported
                && context.store.copies.tables.count > refused.count
            {
                // The next attempt sends these rows without COPY.
                noteRetry(after: error)
                continue
            } catch let error as SaveError
                where attempt < Self.attemptLimit && !isNested
                && (error.code == .notCommitted || error.databaseError?.isConcurrencyConflict == true)
            {
                attempt += 1
                noteRetry(after: error)
                RetryPause.waitAfterDeadlock(before: attempt)
            }
        }
    }

    private mutating func noteRetry(after error: SaveError) {
        attempts += 1
        context.store.events.emit(
            .retry(.init(work: .save, attempt: attempts, error: ErrorContents.withoutObjects(error))))
    }
}
