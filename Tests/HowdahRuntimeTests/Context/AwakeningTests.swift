import Howdah
import HowdahTesting
import TestSupport
import Testing

/// `awakeFromFetch` runs when everything that its load has to do is done: what it changes stays, and so do the changes
/// that the program had made before.
@Suite(.timeLimit(.minutes(60))) struct AwakeningTests {
    /// What reads the rows of changed objects anew.
    enum Way: CaseIterable { case refreshAll, refreshEach, merge }

    /// The operations that take no change from the program.
    static let operations: [HookOperationTests.Operation] = [
        .save, .refreshAll, .fetch, .undo, .saveAChild, .obtainIDs, .changeAll, .merge,
    ]

    @Test(arguments: Way.allCases, [0, 1])
    func changesStayWhateverTheHookDoes(way: Way, levels: Int) async throws {
        try await withTestStore(ManagedObjectModel(Hooked.self)) { container in
            let peer = container.newBackgroundContext()
            for operation in Self.operations {
                let comment: Comment = "\(operation)"
                let ids = try await Self.fill(container)
                let shown = try await container.newBackgroundContext().perform { root in
                    var context = root
                    for _ in 0..<levels { context = context.newChildContext() }
                    let trial = HookTrial(hook: .awakeFromFetch, operation: operation)
                    context.userInfo["trial"] = trial
                    let objects = try ids.map { try context.existingObject(with: $0) }
                    for object in objects { object.number += 10 }
                    objects[1].above = objects[0]
                    trial.isArmed = true
                    switch way {
                    case .refreshAll: try context.refreshAllObjects()
                    case .refreshEach:
                        for object in objects { try context.refresh(object, mergeChanges: true) }
                    case .merge:
                        try peer.performAndWait { other in
                            for id in ids { try other.existingObject(with: id).code = "theirs" }
                            try other.save()
                        }
                        if levels > 0 { try root.refreshAllObjects() }
                        try context.mergeChanges(from: SaveNotice(updated: ids.map { $0.typed() }))
                    }
                    #expect(!trial.isArmed, comment)
                    #expect(objects.allSatisfy { $0.number >= 10 }, comment)
                    try context.save()
                    if levels > 0 { try root.save() }
                    return try Self.state(context)
                }
                let stored = try await container.perform { try Self.state($0) }
                #expect(shown == stored, comment)
                #expect(stored.count { $0.number >= 10 } == 2, comment)
                #expect(stored.count { $0.hasAbove } == 1, comment)
            }
        }
    }

    /// What the hook itself makes of a row that was read again is a change, as it is after a fetch.
    @Test(arguments: Way.allCases) func whatTheHookChangesIsStored(way: Way) async throws {
        try await withTestStore(ManagedObjectModel(Hooked.self)) { container in
            let ids = try await Self.fill(container)
            try await container.perform { context in
                let trial = HookTrial(hook: .awakeFromFetch, operation: .changeAll)
                let objects = try ids.map { try context.existingObject(with: $0) }
                for object in objects { object.code = "\(object.code ?? "")!" }
                context.userInfo["trial"] = trial
                trial.isArmed = true
                switch way {
                case .refreshAll: try context.refreshAllObjects()
                case .refreshEach:
                    for object in objects { try context.refresh(object, mergeChanges: true) }
                case .merge: try context.mergeChanges(from: SaveNotice(updated: ids.map { $0.typed() }))
                }
                #expect(objects.map(\.number) == [1, 1])
                #expect(objects.allSatisfy { $0.changedPropertyNames.contains("number") })
                try context.save()
            }
            #expect(try await container.perform { try Self.state($0).map(\.number) } == [1, 1])
        }
    }

    /// A hook lets go of an object that waits for its own, and touches it, which loads it and calls that.
    @Test(arguments: [0, 1]) func eachLoadIsToldOnce(levels: Int) async throws {
        try await withTestStore(ManagedObjectModel(Hooked.self)) { container in
            let ids = try await Self.fill(container)
            try await container.newBackgroundContext().perform { root in
                var context = root
                for _ in 0..<levels { context = context.newChildContext() }
                let trial = HookTrial(hook: .awakeFromFetch, operation: .reloadOthers)
                context.userInfo["trial"] = trial
                trial.isArmed = true
                let objects = try context.fetch(Hooked.self)
                #expect(objects.count == 2 && ids.count == 2 && !trial.isArmed)
                // The first one, and the second one when the hook has it loaded.
                #expect(trial.calls == 2)
            }
        }
    }

    /// A hook that sets a property of its own object does so in the parent before a child takes the values.
    @Test(arguments: [1, 2]) func aChildTakesWhatTheHookMadeOfTheValues(levels: Int) async throws {
        try await withTestStore(ManagedObjectModel(Hooked.self)) { container in
            let ids = try await Self.fill(container)
            try await container.newBackgroundContext().perform { root in
                let trial = HookTrial(hook: .awakeFromFetch, operation: .setDefault, repeats: true)
                root.userInfo["trial"] = trial
                var context = root
                for _ in 0..<levels { context = context.newChildContext() }
                for id in ids {
                    let object = try context.existingObject(with: id)
                    #expect(object.number == 1)
                    object.number = 50
                }
                var level: ManagedObjectContext? = context
                while let context = level {
                    try context.save()
                    level = context.parent
                }
            }
            #expect(try await container.perform { try Self.state($0).map(\.number) } == [50, 50])
        }
    }

    private struct State: Equatable, Sendable {
        let code: String
        let number: Int
        let hasAbove: Bool
    }

    private static func state(_ context: ManagedObjectContext) throws -> [State] {
        try context.fetch(Hooked.self, sortedBy: .ascending(\.code))
            .map { State(code: $0.code ?? "", number: $0.number, hasAbove: $0.above != nil) }
            .filter { $0.code != "" }
    }

    private static func fill(_ container: PersistentContainer) async throws -> [ObjectID<Hooked>] {
        try await container.perform { context in
            try context.execute(BatchDeleteRequest(FetchRequest<Hooked>()))
            let objects = ["a", "b"].map { code in
                let object = Hooked(context: context)
                object.code = code
                return object
            }
            try context.save()
            return objects.map(\.objectID)
        }
    }
}
