import Foundation
import HowdahModel

/// The insertion of one new object alone, unless a row has its unique values; other changes stay unsaved.
///
/// The stages are those of ``SavePipeline``, for one row.
struct SoleInsertion {
    private let object: ManagedObject
    private let arbiter: String?
    private let checkKey: (ManagedObject) throws -> Void
    private let context: ManagedObjectContext

    /// - Parameters:
    ///   - arbiter: The text after ON CONFLICT; nil if the server reports rows that have the unique values.
    ///   - checkKey: Throws an error if the object has other unique values than the wanted ones. It is called
    ///     after the hooks that may change them.
    init(
        _ object: ManagedObject, unless arbiter: String?, in context: ManagedObjectContext,
        checkKey: @escaping (ManagedObject) throws -> Void
    ) {
        self.object = object
        self.arbiter = arbiter
        self.checkKey = checkKey
        self.context = context
    }

    /// Stores the object.
    ///
    /// - Returns: False if a row has the unique values, or a trigger left the object out, and nothing was stored.
    /// - Throws: The errors of a save.
    func run() throws -> Bool {
        guard let undo = context.recorder.undo else { return try store() }
        return try undo.suspended { try store() }
    }

    private func store() throws -> Bool {
        guard !context.changes.isCarryingOut else {
            throw FetchError(
                .invalidRequest,
                "findOrInsert was called from an attribute's transformation or a log handler while the context was "
                    + "saving its changes. Call it afterwards, for example in didSave().")
        }
        defer { context.releasePostponed() }
        do {
            return try context.changes.saving {
                let changes = try freeze()
                var attempts = SaveAttempts(context)
                let notice = try context.carryingOut {
                    let receipt = try attempts.store(changes) { try attempt(changes, &$0) }
                    let notice = context.notice(of: receipt)
                    context.adoptAlone(receipt)
                    context.store.sizes.note([object])
                    return notice
                }
                if let notice { context.tell(notice) }
                object.didSave()
                return true
            }
        } catch is Taken {
            return false
        } catch let error as SaveError {
            throw error.thrownAlone
        }
    }

    /// The row was not inserted.
    private struct Taken: Error {}

    private func freeze() throws -> ChangeSet {
        context.processPendingChanges()
        try refuseReleased()
        context.changes.opening(.insertion) { object.willSave() }
        context.processPendingChanges()
        try refuseReleased()
        try checkKey(object)
        try refuseOthers()
        let changes = ChangeSet(inserted: [object], issues: try context.hookIssues([object], [], []))
        if context.store.layouts.hasReadOnly { try ReadOnlyRows(context.layouts).check(changes) }
        return changes
    }

    private func attempt(_ changes: ChangeSet, _ attempt: inout SaveAttempt) throws -> SaveReceipt {
        var settled = SettledChanges(inserted: [object], updated: [], links: [], isLocked: false)
        if context.store.layouts.hasMoments { settled.stamp(at: Date(), context.layouts) }
        let counts = try CountRules(context, attempt.transaction).broken(&settled)
        var validation = Validation(context.layouts)
        try validation.check(settled, others: changes.issues + counts)
        var plan = SavePlan(settled, parkings: [], keys: attempt.keys, layouts: context.layouts)
        for index in plan.inserts.indices {
            plan.inserts[index].arbiter = arbiter
            plan.inserts[index].isGuarded = true
        }
        let derived = try DerivedRecomputation(context: context, transaction: attempt.transaction)
            .statements(settled, changes, attempt.keys)
        attempt.stored = context.storedChanges(settled, attempt.keys, derived)
        let batches = try SaveBatches(
            plan, derived: derived, history: context.historyRows(attempt.stored),
            takesLocks: attempt.transaction.isNested || attempt.transaction.hasBegun)
        try context.throwFailure()
        return try attempt.commit(
            batches,
            SaveReceipt(changes: changes, settled: settled, orders: ListOrders(), keys: attempt.keys),
            onMiss: { _ in throw Taken() })
    }

    /// - Throws: `FetchError.invalidRequest` if the program's code deleted the object, or reset the context.
    private func refuseReleased() throws {
        guard object.owner === context, object._flags.contains(.inserted), !object._flags.contains(.deleted)
        else {
            throw FetchError(
                .invalidRequest,
                "setUp or willSave() deleted the new \(object.layout.name), or reset the context. Nothing was "
                    + "stored. Throw an error in setUp if the object should not exist.")
        }
    }

    /// - Throws: `FetchError.invalidRequest` for a relationship that the object's row alone does not keep.
    private func refuseOthers() throws {
        for slot in object.layout.relationshipSlots {
            let relationship = object.layout.relationship(slot)
            let place = "\(object.layout.name).\(relationship.name)"
            switch relationship.storage {
            case .memory: continue
            case .foreignKey:
                let field = object._toOneField(at: slot)
                if field.isNone { continue }
                if field.object?._flags.contains(.inserted) == true {
                    throw FetchError(
                        .invalidRequest,
                        "\(place) refers to an object that is not saved. Save it first, then call findOrInsert."
                    )
                }
                guard let inverse = relationship.inverse,
                    context.layouts[relationship.destination].relationship(inverse).isKeptByOwner
                else { continue }
            case .inverse, .join:
                let state = object._toManyState(at: slot)
                if object._toOneField(at: slot).isNone,
                    state.map({ $0.members.isEmpty && !$0.hasPending }) ?? true
                {
                    continue
                }
            }
            throw FetchError(
                .invalidRequest,
                "\(place) cannot be set in findOrInsert, because rows of other objects would change too. Set "
                    + "it after findOrInsert has returned the object, and save."
            )
        }
    }
}
