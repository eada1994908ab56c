import Howdah
import HowdahTesting
import TestSupport
import Testing

/// Each hook may do whatever a context can do, at once: afterwards the context shows what the store has.
@Suite(.timeLimit(.minutes(60))) struct HookOperationTests {
    /// A change that a program makes in the midst of a hook.
    enum Operation: CaseIterable {
        case save, rollback, reset, refreshAll, refreshOthers, refreshItself, deleteOthers, deleteItself,
            fetch
        case undo, saveAChild, obtainIDs, changeAll, merge, link, reloadOthers, setDefault

        func run(from object: ManagedObject, in context: ManagedObjectContext) throws {
            let others = context.registeredObjects.filter { $0 !== object }
            switch self {
            case .save: try context.save()
            case .rollback: context.rollback()
            case .reset: context.reset()
            case .refreshAll: try context.refreshAllObjects()
            case .refreshOthers: for other in others { context.refresh(other) }
            case .refreshItself: context.refresh(object)
            case .deleteOthers: for other in others { context.delete(other) }
            case .deleteItself: context.delete(object)
            case .fetch: _ = try context.fetch(Hooked.self).map(\.number)
            case .undo: context.undo()
            case .saveAChild:
                let child = context.newChildContext()
                Hooked(context: child).number = 9
                try child.save()
            case .obtainIDs: try context.obtainPermanentIDs(for: Array(context.insertedObjects))
            case .changeAll: for case let object as Hooked in context.registeredObjects { object.number += 1 }
            case .setDefault: if let object = object as? Hooked, object.number == 0 { object.number = 1 }
            case .reloadOthers:
                for case let other as Hooked in others {
                    context.refresh(other)
                    _ = other.number
                }
            case .link: (object as? Hooked)?.above = others.first as? Hooked
            case .merge: try context.mergeChanges(from: SaveNotice(updated: others.map(\.objectID)))
            }
        }

        /// Indicates whether it takes from the program an object that it is about to use.
        func losesObject(in hook: Hooked.Hook) -> Bool {
            hook == .awakeFromInsert && (self == .rollback || self == .reset)
        }
    }

    /// - Parameter levels: how many contexts are between the program's and the store.
    @Test(arguments: Hooked.Hook.allCases, TestTier.current > .quick ? [0, 1, 2] : [0, 1])
    func eachOperationWithinAHook(hook: Hooked.Hook, levels: Int) async throws {
        try await withTestDatabase(for: try ManagedObjectModel(Hooked.self)) { database in
            let container = try await PersistentContainer.open(
                database.url, model: try ManagedObjectModel(Hooked.self))
            for operation in Operation.allCases {
                for returnsFaults in hook == .awakeFromFetch ? [false, true] : [true] {
                    let comment: Comment = "\(hook), \(operation), faults \(returnsFaults)"
                    try await Self.fill(container)
                    let end = await Self.end(of: hook, operation, levels, returnsFaults, container)
                    #expect(end.wasRun, comment)
                    #expect(end.code == (operation.losesObject(in: hook) ? .objectNotFound : nil), comment)
                    guard end.code == nil else { continue }
                    let stored = try await container.perform { try Self.state($0) }
                    #expect(end.state == stored, comment)
                }
            }
            await container.close(drainingFor: .seconds(5))
        }
    }

    /// Objects that are filled together, each of which makes faults of others or of itself.
    @Test(arguments: [Operation.refreshOthers, .refreshItself, .refreshAll], [0, 1, 2])
    func hooksThatRefreshLoseNothing(_ operation: Operation, levels: Int) async throws {
        try await withTestStore(try ManagedObjectModel(Hooked.self)) { container in
            try await container.perform { context in
                let root = Hooked(context: context)
                root.code = "root"
                for number in 1...5 {
                    let object = Hooked(context: context)
                    (object.number, object.code, object.above) = (number, "n\(number)", root)
                }
                try context.save()
            }
            try await container.newBackgroundContext().perform { root in
                var context = root
                for _ in 0..<levels { context = context.newChildContext() }
                context.userInfo["trial"] = HookTrial(
                    hook: .awakeFromFetch, operation: operation, repeats: true)
                var request = FetchRequest<Hooked>()
                request.returnsObjectsAsFaults = true
                let all = try context.fetch(request)
                for _ in 1...2 {
                    #expect(all.map(\.number).sorted() == [0, 1, 2, 3, 4, 5])
                    let parent = try #require(all.first { $0.code == "root" })
                    #expect(parent.below.map(\.number).sorted() == [1, 2, 3, 4, 5])
                    #expect(all.count { $0.above === parent } == 5)
                    for object in all { context.refresh(object) }
                }
            }
        }
    }

    /// How a program ended.
    private struct End: Sendable {
        var wasRun = false
        var code: FetchError.Code?
        var state: [String] = []
    }

    private static func fill(_ container: PersistentContainer) async throws {
        try await container.perform { context in
            try context.execute(BatchDeleteRequest(FetchRequest<Hooked>()))
            for number in 0..<6 {
                let object = Hooked(context: context)
                (object.number, object.code) = (number, "n\(number)")
            }
            try context.save()
        }
    }

    private static func end(
        of hook: Hooked.Hook, _ operation: Operation, _ levels: Int, _ returnsFaults: Bool,
        _ container: PersistentContainer
    ) async -> End {
        do {
            return try await container.newBackgroundContext().perform { root in
                var context = root
                for _ in 0..<levels { context = context.newChildContext() }
                let trial = HookTrial(hook: hook, operation: operation)
                try work(in: context, returnsFaults, trial)
                return End(wasRun: !trial.isArmed, code: nil, state: try state(context))
            }
        } catch {
            if !(error is FetchError) { Issue.record(error) }
            return End(wasRun: true, code: (error as? FetchError)?.code)
        }
    }

    /// Fetches, changes, links, inserts, deletes and saves, while one hook runs the operation once.
    private static func work(
        in context: ManagedObjectContext, _ returnsFaults: Bool, _ trial: HookTrial
    ) throws {
        context.undoManager = UndoStack()
        context.userInfo["trial"] = trial
        trial.isArmed = trial.hook == .awakeFromFetch
        var request = FetchRequest<Hooked>()
        request.returnsObjectsAsFaults = returnsFaults
        let all = try context.fetch(request)
        for object in all where object.managedObjectContext != nil { _ = object.number }
        context.processPendingChanges()
        if trial.hook != .awakeFromFetch { trial.isArmed = true }
        if [.willTurnIntoFault, .didTurnIntoFault].contains(trial.hook) {
            for object in all { context.refresh(object) }
        }
        let live = try context.fetch(Hooked.self)
        if live.count > 2 {
            live[0].number += 10
            live[1].above = live[0]
            context.delete(live[2])
        }
        Hooked(context: context).number = 7
        context.processPendingChanges()
        var level = context
        while true {
            try level.save()
            if level.hasChanges { try level.save() }
            guard let parent = level.parent else { break }
            level = parent
        }
    }

    private static func state(_ context: ManagedObjectContext) throws -> [String] {
        try context.fetch(Hooked.self).map { object in
            "\(object.objectID) \(object.code ?? "") \(object.number) \(object.above.map { "\($0.objectID)" } ?? "")"
        }.sorted()
    }
}

/// An operation that runs in one hook, the next time that it is called or each time.
final class HookTrial {
    let hook: Hooked.Hook
    let operation: HookOperationTests.Operation
    let repeats: Bool
    var isArmed: Bool
    /// How often the hook was called.
    var calls = 0

    init(hook: Hooked.Hook, operation: HookOperationTests.Operation, repeats: Bool = false) {
        (self.hook, self.operation, self.repeats, isArmed) = (hook, operation, repeats, repeats)
    }
}

/// An entity that tells each of its hooks.
@Entity final class Hooked: ManagedObject {
    enum Hook: CaseIterable {
        case awakeFromInsert, awakeFromFetch, willSave, didSave, prepareForDeletion, willTurnIntoFault
        case didTurnIntoFault, validateForInsert, validateForUpdate, validateForDelete, validateValue
    }

    var code: String?
    var number: Int = 0
    @Relationship(deleteRule: .cascade, inverse: "above") var below: ToMany<Hooked>
    @Relationship(inverse: "below") var above: Hooked?

    override class var validatedKeys: [String] { ["number"] }

    override func awakeFromInsert() { run(.awakeFromInsert) }
    override func awakeFromFetch() { run(.awakeFromFetch) }
    override func willSave() { run(.willSave) }
    override func didSave() { run(.didSave) }
    override func prepareForDeletion() { run(.prepareForDeletion) }
    override func willTurnIntoFault() { run(.willTurnIntoFault) }
    override func didTurnIntoFault() { run(.didTurnIntoFault) }
    override func validateForInsert() throws {
        run(.validateForInsert)
        try super.validateForInsert()
    }
    override func validateForUpdate() throws {
        run(.validateForUpdate)
        try super.validateForUpdate()
    }
    override func validateForDelete() throws {
        run(.validateForDelete)
        try super.validateForDelete()
    }
    override func validateValue(_ value: Any?, forKey key: String) throws {
        run(.validateValue)
        try super.validateValue(value, forKey: key)
    }

    private func run(_ hook: Hook) {
        guard let context = managedObjectContext, let trial = context.userInfo["trial"] as? HookTrial,
            trial.hook == hook
        else { return }
        trial.calls += 1
        guard trial.isArmed else { return }
        trial.isArmed = trial.repeats
        do {
            try trial.operation.run(from: self, in: context)
        } catch {
            Issue.record("\(hook), \(trial.operation): \(error)")
        }
    }
}
