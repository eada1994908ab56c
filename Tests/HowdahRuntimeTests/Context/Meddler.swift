import Howdah
import TestSupport
import Testing

/// An entity whose hooks read and change everything that its context shows.
@Entity final class Meddled: ManagedObject {
    @Attribute(.unique) var code: String
    var number: Int = 0
    @Relationship(deleteRule: .cascade, inverse: "above") var below: ToMany<Meddled>
    @Relationship(inverse: "below") var above: Meddled?
    @Relationship(inverse: "admirers") var friends: ToMany<Meddled>
    @Relationship(inverse: "friends") var admirers: ToMany<Meddled>

    override class var validatedKeys: [String] { ["number", "code"] }

    override func awakeFromInsert() {
        // An undo that ends between the insertion and the first change must not leave two objects without a code.
        code = "\(objectID)"
        meddle("awakeFromInsert")
    }
    override func awakeFromFetch() { meddle("awakeFromFetch") }
    override func awakeFromSnapshotEvents(_ events: SnapshotEvents) { meddle("awakeFromSnapshotEvents") }
    override func willSave() { meddle("willSave") }
    override func didSave() { meddle("didSave") }
    override func prepareForDeletion() { meddle("prepareForDeletion") }
    override func willTurnIntoFault() { meddle("willTurnIntoFault") }
    override func didTurnIntoFault() { meddle("didTurnIntoFault") }
    override func validateForInsert() throws {
        meddle("validateForInsert")
        try super.validateForInsert()
    }
    override func validateForUpdate() throws {
        meddle("validateForUpdate")
        try super.validateForUpdate()
    }
    override func validateForDelete() throws {
        meddle("validateForDelete")
        try super.validateForDelete()
    }
    override func validateValue(_ value: Any?, forKey key: String) throws {
        meddle("validateValue")
        try super.validateValue(value, forKey: key)
    }

    private func meddle(_ hook: String) {
        guard let context = managedObjectContext else { return }
        (context.userInfo["meddler"] as? Meddler)?.visit(context, hook, self)
    }
}

/// Reads and changes every public property and collection of a context from within its hooks.
final class Meddler {
    /// The number of times that each hook was called.
    private(set) var visits: [String: Int] = [:]
    /// The number of lasting changes that hooks may still make.
    var budget = 0
    private var depth = 0
    private var made = 0

    /// A value for an object that hooks make, different each time.
    func code() -> String {
        made += 1
        return "meddler \(ObjectIdentifier(self).hashValue) \(made)"
    }

    func visit(_ context: ManagedObjectContext, _ hook: String, _ object: Meddled?) {
        visits[hook, default: 0] += 1
        _ = read(context)
        guard depth == 0 else { return }
        depth += 1
        defer { depth -= 1 }
        changeSettings(context)
        guard context.failure == nil else { return }
        changeObjects(context, hook, object)
        _ = read(context)
    }

    @discardableResult
    private func read(_ context: ManagedObjectContext) -> Int {
        var sum = context.insertedObjects.count + context.updatedObjects.count + context.deletedObjects.count
        sum += context.registeredObjects.count + context.registeredObjectCount
        sum += context.supersededObjectIDs.count + context.userInfo.count
        let flags = [
            context.hasChanges, context.propagatesDeletesAtEndOfEvent, context.isRehearsal,
            context.automaticallyMergesChangesFromParent, context.shouldDeleteInaccessibleFaults,
            context.retainsRegisteredObjects, context.failure == nil, context.parent == nil,
            context.undoManager?.canUndo == true, context.undoManager?.canRedo == true,
            context.undoManager?.isUndoing == true,
        ]
        sum += flags.count { $0 } + context.mergePolicy.mergeType.rawValue
        sum += context.managedObjectModel.entities.count
        for object in context.registeredObjects {
            sum += object.changedPropertyNames.count
            if context.registeredObject(for: object.objectID) === object { sum += 1 }
        }
        return sum
    }

    private func changeSettings(_ context: ManagedObjectContext) {
        func note(_ values: inout [String: Any]) {
            values["sum"] = read(context)
            context.mergePolicy = context.mergePolicy
        }
        note(&context.userInfo)
        context.userInfo["dropped"] = Dropped { [weak self, unowned context] in _ = self?.read(context) }
        context.userInfo["dropped"] = nil
        for _ in 1...2 {
            context.retainsRegisteredObjects.toggle()
            context.propagatesDeletesAtEndOfEvent.toggle()
            if context.failure == nil { context.shouldDeleteInaccessibleFaults.toggle() }
        }
        if !context.automaticallyMergesChangesFromParent {
            context.automaticallyMergesChangesFromParent = true
            context.automaticallyMergesChangesFromParent = false
        }
        withExtendedLifetime(context.notices) {}
    }

    private func changeObjects(_ context: ManagedObjectContext, _ hook: String, _ object: Meddled?) {
        let isValidation = hook.hasPrefix("validate")
        let turnsIntoFault = hook.hasSuffix("TurnIntoFault")
        if !isValidation {
            let new = Meddled(context: context)
            new.code = code()
            new.above = turnsIntoFault ? nil : object
            new.above = nil
            context.delete(new)
        }
        if turnsIntoFault { return }
        let others = context.registeredObjects.compactMap { $0 as? Meddled }.filter { $0 !== object }
        let clean = others.first { !$0.hasChanges && !$0.isFault }
        if let clean { context.detectConflicts(for: clean) }
        if isValidation { return context.processPendingChanges() }
        do {
            if let clean { context.refresh(clean) }
            _ = try context.count(for: FetchRequest<Meddled>())
            if hook == "willSave", budget > 0, let object, !object.isDeleted { try last(object, others) }
            if hook == "didSave" {
                _ = try context.fetch(FetchRequest<Meddled>())
                context.undo()
                context.redo()
            }
        } catch {
            Issue.record("\(hook): \(error)")
        }
        context.processPendingChanges()
    }

    /// Changes that the save is to store as well.
    private func last(_ object: Meddled, _ others: [Meddled]) throws {
        guard let context = object.managedObjectContext else { return }
        budget -= 1
        object.number += 1
        let new = Meddled(context: context)
        new.code = code()
        object.friends.insert(new)
        if let other = others.first(where: { !$0.isDeleted && !$0.isFault }) {
            other.number += 1
            new.above = other
        }
    }
}

/// Calls back when it ends.
private final class Dropped {
    private let body: () -> Void

    init(_ body: @escaping () -> Void) { self.body = body }

    deinit { body() }
}

/// A policy that meddles before and after it resolves.
final class MeddlingPolicy: MergePolicy {
    override func resolve(optimisticLockingConflicts conflicts: [MergeConflict]) throws {
        for conflict in conflicts { meddle(conflict.object, "policy") }
        try super.resolve(optimisticLockingConflicts: conflicts)
        for conflict in conflicts { meddle(conflict.object, "policy") }
    }

    override func resolve(constraintConflicts conflicts: [ConstraintConflict]) throws {
        for conflict in conflicts { meddle(conflict.conflictingObject, "constraint policy") }
        try super.resolve(constraintConflicts: conflicts)
        for conflict in conflicts { meddle(conflict.conflictingObject, "constraint policy") }
    }

    private func meddle(_ object: ManagedObject?, _ name: String) {
        guard let context = object?.managedObjectContext else { return }
        (context.userInfo["meddler"] as? Meddler)?.visit(context, name, object as? Meddled)
    }
}
