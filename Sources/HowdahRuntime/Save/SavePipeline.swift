import Foundation
import PQClient

/// How changes become rows, stage by stage; `docs/life-of-a-save.md` follows the same numbers.
struct SavePipeline {
    static let attempts = 5
    /// How often conflicts are resolved before the save gives up.
    private static let rounds = 10
    /// After how many of them the rows stay locked from the look at what others did to the next attempt, so that nobody
    /// is faster again.
    private static let unlockedRounds = 5

    let context: ManagedObjectContext

    func run() throws {
        try context.throwFailure()
        context.tellWillSave()
        var asked: Set<ObjectIdentifier> = []
        let policy = RetryPolicy.conflicts(upTo: Self.rounds)
        context.supersededObjectIDs = [:]
        var races = 0
        var held: SaveTransaction?
        defer { held?.abandon() }
        for round in 1... {
            let holds =
                round > Self.unlockedRounds && context.mergePolicy.resolves
                && context.unit?.isTransaction == false
            do {
                return try attempt(&asked, holdingLocks: holds, &held)
            } catch let error as SaveError where error.code == .conflict {
                let found = context.takeConflicts()
                guard context.mergePolicy.resolves, round < Self.rounds else { throw error }
                try resolve { try $0.resolve(optimisticLockingConflicts: found) }
                if held == nil { policy.wait(before: round + 1) }
            } catch let error as SaveError where error.code == .referentialIntegrity {
                let found = context.takeConflicts()
                guard context.mergePolicy.resolves, !found.isEmpty, round < Self.rounds else { throw error }
                try resolve { try $0.resolve(optimisticLockingConflicts: found) }
                // A required reference has nothing to fall back on.
                if found.contains(where: { $0.lost.contains(where: \.remains) }) { throw error }
                policy.wait(before: round + 1)
            } catch let error as SaveError where error.code == .uniqueness {
                let found = context.takeConstraintConflicts()
                guard context.mergePolicy.resolves, round < Self.rounds else { throw error }
                // The server found what the look before did not: a race, or nothing that a policy can mend.
                if found.isEmpty {
                    guard error.underlying != nil, races < 2 else { throw error }
                    races += 1
                }
                try resolve { try $0.resolve(constraintConflicts: found) }
                policy.wait(before: round + 1)
            }
        }
    }

    /// Has the policy resolve conflicts.
    ///
    /// - Throws: what the policy throws, or the failure of a fault that it read: what is stored must be what is meant.
    private func resolve(_ body: (MergePolicy) throws -> Void) throws {
        try context.indexingReferences { try body(context.mergePolicy) }
        try context.throwFailure()
    }

    /// - Parameters:
    ///   - holdingLocks: whether a conflict leaves the transaction open, with the rows locked.
    ///   - held: that transaction, for the next attempt to go on with.
    private func attempt(
        _ asked: inout Set<ObjectIdentifier>, holdingLocks: Bool, _ held: inout SaveTransaction?
    ) throws {
        // 1 Freeze: what is to be stored, once willSave is quiet.
        let changes = try context.freezeChanges(&asked)
        if changes.isEmpty {
            context.takeEvent()
            return context.adoptUnchanged(changes)
        }
        if context.store.layouts.hasReadOnly { try ReadOnlyRows(context.layouts).check(changes) }
        // Values that change hands within the save go by way of others.
        let parkings = try UniqueParking(layouts: context.store.layouts).parkings(for: changes.updated)

        let (receipt, notice): (SaveReceipt, SaveNotice?)
        do {
            // A lost connection is replaced with each attempt.
            receipt = try repeating {
                try context.withConnection {
                    try store(changes, parkings, $0, holdingLocks: holdingLocks, &held)
                }
            }

            notice = context.notice(of: receipt)
            // 7 Adopt: permanent ids, versions, clean state.
            context.adopt(receipt)
            context.store.sizes.note(receipt.settled.inserted)
        } catch let error as PostgresError {
            throw SaveFailure(context.store.layouts).error(error, changes)
        }

        // 8 Tell: those who listen, and the objects, now that the context is clean.
        if let notice { context.tell(notice) }
        for object in receipt.settled.savedObjects { object.didSave() }
    }

    /// Stages 2 to 6, in one transaction that leaves nothing behind if it fails.
    private func store(
        _ changes: ChangeSet, _ parkings: [SavePlan.RowUpdate], _ connection: Connection, holdingLocks: Bool,
        _ held: inout SaveTransaction?
    ) throws -> SaveReceipt {
        let isNested = context.unit?.isTransaction ?? false
        let open = held.flatMap { $0.isOpen ? $0 : nil }
        // A statement of the policy's own may have failed in it.
        if open == nil { held?.abandon() }
        held = nil
        let token = open.map(\.token) ?? (isNested ? nil : context.store.tokens?.next())
        let deletes = !changes.deleted.isEmpty || !changes.discarded.isEmpty
        let transaction =
            open
            ?? SaveTransaction(
                connection, isNested: isNested, token: token,
                holdsTriggers: deletes && context.store.layouts.hasDeleteTriggers, in: context.store.mark)
        var known: NewKeys?
        var isSettled = false
        do {
            let keys = try NewKeys(changes.inserted, context.store.keys, connection)

            known = keys

            // 2 Settle: lock what is there, then follow delete rules to a fixed point.
            var settled = try DeleteRules(
                changes, context, transaction,
                isLocked: holdingLocks || !parkings.isEmpty
                    || changes.needsLocks(context.store.layouts, isNested: transaction.isNested)
            ).settle()
            isSettled = true

            if context.mergePolicy.resolves {
                try UniquenessClashes(context: context, transaction: transaction, settled: settled).check()
            }

            if context.store.layouts.hasMoments { settled.stamp(at: Date(), context.layouts) }

            // 3 Validate: every touched object, all errors at once.
            let counts = try CountRules(context, transaction).broken(&settled)
            if context.store.layouts.hasReadOnly { try ReadOnlyRows(context.layouts).check(settled) }
            var validation = Validation(context.layouts)
            try validation.check(settled, others: changes.issues + counts)

            // 4 Plan: operations per table in dependency order.
            let orders = try ListOrders(
                settled, layouts: context.layouts, tails: ListTails(transaction).last)
            let plan = SavePlan(
                settled, parkings: parkings, orders: orders, keys: keys, layouts: context.layouts)

            // 5 Batch: group by shape.
            let derived =
                context.store.layouts.derivedGroups.isEmpty
                ? []
                : try DerivedRecomputation(context: context, transaction: transaction)
                    .statements(settled, changes, keys)
            let locks = settled.isLocked ? [] : DestinationLocks(context).statements(changes)
            let batches = try SaveBatches(
                plan, locks: locks, derived: derived, takesLocks: transaction.isNested || transaction.hasBegun
            )

            // A fault that failed on the way would be told after everything is stored.
            try context.throwFailure()

            // 6 Commit: one transaction; a miss is a conflict.
            var receipt = SaveReceipt(changes: changes, settled: settled, orders: orders, keys: keys)
            do {
                try transaction.commit(
                    batches, onMiss: { try Conflicts(context, transaction).error($0) })
                receipt.derived = transaction.derived
            } catch let error as PostgresError where error.mayHaveCommitted {
                let isStored = try context.store.wasStored(
                    token?.uuid, backend: connection.backendProcessID, deadline: connection.deadline,
                    after: error)
                guard isStored else { throw Store.notCommitted(error) }
                receipt.lacksDerived = true
            }
            return receipt
        } catch {
            if holdingLocks, !isSettled, (error as? SaveError)?.code == .conflict, transaction.isOpen {
                held = transaction
                throw error
            }
            transaction.abandon()
            if let cause = error as? PostgresError, cause.sqlState == SQLState.foreignKeyViolation,
                connection.isUsable,
                let lost = try? LostDestinations(context: context, connection: connection).error(
                    cause, changes)
            {
                throw lost
            }
            if let cause = error as? PostgresError, cause.sqlState == SQLState.uniqueViolation,
                connection.isUsable,
                let known = try? ReinsertedRows(context: context, connection: connection).error(changes)
            {
                throw known
            }
            throw SaveFailure(context.store.layouts, asking: connection).error(
                error, changes, failed: transaction.failed, keys: known)
        }
    }

    /// A save outside of an enclosing transaction may lose a deadlock, or its connection during a COMMIT that was
    /// not carried out, and simply try again.
    private func repeating(_ body: () throws -> SaveReceipt) throws -> SaveReceipt {
        if context.unit?.isTransaction == true { return try body() }
        let policy = RetryPolicy.conflicts(upTo: Self.attempts)
        var attempt = 1
        while true {
            do {
                return try body()
            } catch let error as SaveError
                where attempt < Self.attempts
                && (error.code == .notCommitted || error.underlying?.sqlState == SQLState.deadlockDetected)
            {
                attempt += 1
                // Whoever won is given time to finish, and two losers do not meet again.
                policy.wait(before: attempt + 4)
            }
        }
    }
}
