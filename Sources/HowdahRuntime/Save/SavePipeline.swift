import Foundation

/// The stages of a save, in order; `docs/life-of-a-save.md` uses the same numbers.
///
/// ``SaveAttempts`` runs the pipeline, and decides after which errors it retries.
struct SavePipeline {
    let context: ManagedObjectContext

    func run(_ attempts: inout SaveAttempts) throws {
        // 1 Freeze: what is to be stored, once willSave is quiet.
        let changes = try freeze(&attempts)
        if changes.isEmpty { return adoptNothing(changes) }
        if let sole = SoleUpdate(changes, in: context) { return try sole.run(&attempts) }
        // From here to stage 7 reset() and rollback() wait, and save() throws.
        let (receipt, notice) = try context.carryingOut {
            // `store` runs 2 to 6 in one transaction, and again after a lost deadlock.
            let receipt = try attempts.store(changes) { attempt in
                // 2 Settle: lock what is there, then follow delete rules to a fixed point.
                var settled = try settle(changes, &attempt)
                // 3 Validate: every touched object, all errors of the model's rules at once.
                try validate(&settled, changes, attempt)
                // 4 Plan: operations per table in dependency order.
                let orders = try orders(settled, attempt)
                let plan = plan(settled, orders, attempt)
                // 5 Batch: group by shape, with derived attributes and the locks of new destinations.
                let batches = try batch(plan, settled, changes, &attempt)
                // 6 Commit: write and COMMIT; a row that is not there in its version is a conflict.
                return try commit(
                    batches,
                    SaveReceipt(changes: changes, settled: settled, orders: orders, keys: attempt.keys),
                    attempt)
            }
            // 7 Adopt: permanent ids, versions, clean state.
            return (receipt, adopt(receipt))
        }
        // 8 Tell: the listeners, and the objects, now that the context is clean.
        tell(notice, receipt)
    }

    // MARK: The stages

    private func freeze(_ attempts: inout SaveAttempts) throws -> ChangeSet {
        let changes = try context.freezeChanges(&attempts.notified)
        if !changes.isEmpty { try context.store.checkWritable() }
        if context.store.layouts.hasReadOnly { try ReadOnlyRows(context.layouts).check(changes) }
        return changes
    }

    private func settle(_ changes: ChangeSet, _ attempt: inout SaveAttempt) throws -> SettledChanges {
        var settled = try DeleteRules(
            changes, context, attempt.transaction, isLocked: attempt.locksRows
        ).settle()
        attempt.isSettled = true
        if context.mergePolicy.resolves {
            try UniquenessClashes(context: context, transaction: attempt.transaction, settled: settled)
                .check()
        }
        if context.store.layouts.hasMoments { settled.stamp(at: Date(), context.layouts) }
        return settled
    }

    private func validate(
        _ settled: inout SettledChanges, _ changes: ChangeSet, _ attempt: SaveAttempt
    ) throws {
        let counts = try CountRules(context, attempt.transaction).broken(&settled)
        if context.store.layouts.hasReadOnly { try ReadOnlyRows(context.layouts).check(settled) }
        var validation = Validation(context.layouts)
        try validation.check(settled, others: changes.issues + counts)
    }

    private func orders(_ settled: SettledChanges, _ attempt: SaveAttempt) throws -> ListOrders {
        try ListOrders(settled, layouts: context.layouts, tails: ListEnds(attempt.transaction).last)
    }

    private func plan(_ settled: SettledChanges, _ orders: ListOrders, _ attempt: SaveAttempt) -> SavePlan {
        SavePlan(
            settled, parkings: attempt.parkings, orders: orders, keys: attempt.keys, layouts: context.layouts)
    }

    private func batch(
        _ plan: SavePlan, _ settled: SettledChanges, _ changes: ChangeSet, _ attempt: inout SaveAttempt
    ) throws -> SaveBatches {
        let derived = try DerivedRecomputation(context: context, transaction: attempt.transaction)
            .statements(settled, changes, attempt.keys)
        let locks = settled.isLocked ? [] : DestinationLocks(context).statements(changes)
        attempt.stored = context.storedChanges(settled, attempt.keys, derived)
        return try SaveBatches(
            plan, locks: locks, derived: derived, history: context.historyRows(attempt.stored),
            refusingCopies: context.store.copies.tables,
            takesLocks: attempt.transaction.isNested || attempt.transaction.hasBegun)
    }

    private func commit(
        _ batches: SaveBatches, _ receipt: SaveReceipt, _ attempt: SaveAttempt
    ) throws -> SaveReceipt {
        try context.checkBeforeWriting()
        return try attempt.commit(batches, receipt)
    }

    private func adopt(_ receipt: SaveReceipt) -> SaveNotice? {
        let notice = context.notice(of: receipt)
        context.adopt(receipt)
        context.store.sizes.note(receipt.settled.inserted)
        return notice
    }

    private func adoptNothing(_ changes: ChangeSet) {
        context.takeEvent()
        context.adoptUnchanged(changes, keepingVersions: true)
    }

    private func tell(_ notice: SaveNotice?, _ receipt: SaveReceipt) {
        if let notice { context.tell(notice) }
        for object in receipt.settled.savedObjects { object.didSave() }
    }
}
