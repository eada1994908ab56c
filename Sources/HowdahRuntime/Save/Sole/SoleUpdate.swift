import HowdahModel
import PQClient

/// The save of one object with new values of attributes, which most saves are.
///
/// Its stages 2 to 5 are one statement: nothing is deleted, locked, derived or ordered. It is an object because the
/// attempts of a save share it.
final class SoleUpdate {
    private let changes: ChangeSet
    private let update: ChangeSet.Update
    private let written: WrittenColumns
    /// The text of the statement for one row.
    private let text: String
    private let context: ManagedObjectContext

    /// Creates the update; nil if the save may concern other rows, or more than the version of this one.
    init?(_ changes: ChangeSet, in context: ManagedObjectContext) {
        guard context.store.layouts.hasSoleUpdates, changes.hasSoleUpdate, context.children.isEmpty,
            !context.mergePolicy.resolves
        else { return nil }
        let update = changes.updated[0]
        let layout = update.object.layout
        let isPlain = update.slots.allSatisfy { slot in
            if case .attribute = layout.slots[slot].kind { true } else { false }
        }
        guard isPlain, !update.slots.isEmpty else { return nil }
        written = layout.written(update.slots)
        guard let text = written.textForRow else { return nil }
        self.changes = changes
        self.update = update
        self.text = text
        self.context = context
    }

    /// Stores the object, and retries as all saves do.
    func run(_ attempts: inout SaveAttempts) throws {
        let notice = try context.carryingOut {
            let receipt = try attempts.store(changes, attempt)
            let notice = context.notice(of: receipt)
            context.adoptSoleUpdate(receipt)
            return notice
        }
        if let notice { context.tell(notice) }
        update.object.didSave()
    }

    private func attempt(_ attempt: inout SaveAttempt) throws -> SaveReceipt {
        let settled = SettledChanges(inserted: [], updated: changes.updated, links: [], isLocked: false)
        attempt.isSettled = true
        var validation = Validation(context.layouts)
        try validation.check(settled, others: changes.issues)
        attempt.stored = context.storedChanges(settled, attempt.keys, [])
        let statement = try statement()
        try context.checkBeforeWriting()
        return try attempt.commit(
            statement, context.historyRows(attempt.stored),
            SaveReceipt(changes: changes, settled: settled, orders: ListOrders(), keys: attempt.keys))
    }

    private func statement() throws -> SaveStatement {
        let (object, layout) = (update.object, update.object.layout)
        var values: [Value] = []
        values.reserveCapacity(written.columns.count)
        for slot in update.slots {
            guard case .attribute(let attribute) = layout.slots[slot].kind else { continue }
            object._value(at: slot).appendLeaves(of: attribute.type, to: &values)
        }
        var parameters = Parameters(capacity: values.count + 3)
        for (column, value) in zip(written.columns, values) {
            try parameters.append(column.sent) { try $0.write(value, as: column.type) }
        }
        parameters.append(object.key)
        parameters.append(object.version)
        return SaveStatement(
            text, parameters, guarded: .init(table: layout.table.name, keys: [object.key]),
            about: .init(.update, layout.table.subject), written: written)
    }
}
