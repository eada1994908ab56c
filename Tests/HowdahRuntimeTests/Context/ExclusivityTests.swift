import Howdah
import HowdahModel
import HowdahTesting
import PQClient
import TestSupport
import Testing

/// Hooks and merge policies may read and change everything that a context shows, whatever the context is doing.
///
/// Swift ends the process if two accesses to one stored property overlap and one of them writes. No part of a context may
/// therefore be under access while it calls a hook.
@Suite(.timeLimit(.minutes(60))) struct ExclusivityTests {
    /// Steps in random order, each with meddling hooks; the context shows what the store has after each save.
    @Test(arguments: [true, false])
    func hooksMeddleWithEachStep(keepsUndo: Bool) async throws {
        var visits: [String: Int] = [:]
        let model = try ManagedObjectModel(Meddled.self)
        try await withTestDatabase(for: model) { database in
            let container = try await PersistentContainer.open(database.url, model: model)
            for seed in 1...TestTier.choose(quick: 1, all: 4, nightly: 100) {
                let handle = container.newBackgroundContext()
                var random = SplitMix64(seed: UInt64(seed))
                // Fewer may not reach every hook.
                for round in 1...TestTier.choose(quick: 3, all: 6, nightly: 6) {
                    let start = random.next()
                    let (shown, known) = try await handle.perform { context in
                        let session = try Connection(
                            ConnectionConfiguration(TestPooler.direct(database.url)))
                        defer { session.close() }
                        let walk = MeddledWalk(context, session, seed: start, keepsUndo: keepsUndo)
                        try walk.run(steps: 12)
                        return (try MeddledState.of(context), walk.meddler.visits)
                    }
                    visits.merge(known, uniquingKeysWith: +)
                    let stored = try await container.perform { try MeddledState.of($0) }
                    #expect(shown.differences(from: stored) == [], "seed \(seed), round \(round)")
                }
            }
            await container.close(drainingFor: .seconds(5))
        }
        #expect(Set(visits.keys) == MeddledWalk.hooks)
    }

    /// The control: a part that is under access while it calls a hook ends the process.
    @Test func anOverlapEndsTheProcess() async {
        await #expect(processExitsWith: .failure) {
            let part = OverlappingPart()
            part.change { part.objects.append(1) }
        }
    }
}

/// A part of a context as it must not be.
private final class OverlappingPart {
    var objects: [Int] = []

    func change(_ hook: () -> Void) {
        func call(_ objects: inout [Int]) {
            hook()
            objects.append(0)
        }
        call(&objects)
    }
}

/// The values and relationships of all objects, as a context shows them.
struct MeddledState: Sendable {
    private var objects: [Int64: [String]] = [:]

    /// The objects that are not the same in another state, there and here.
    func differences(from other: MeddledState) -> [String] {
        Set(objects.keys).union(other.objects.keys).sorted().compactMap { key in
            let (here, there) = (objects[key], other.objects[key])
            return here == there ? nil : "\(key): \(here ?? []), stored \(there ?? [])"
        }
    }

    static func of(_ context: ManagedObjectContext) throws -> MeddledState {
        var state = MeddledState()
        for object in try context.fetch(FetchRequest<Meddled>()) {
            state.objects[object.objectID.key] = [
                object.code, "\(object.number)", "\(object.above.map { $0.objectID.key } ?? 0)",
                "\(object.below.map { $0.objectID.key }.sorted())",
                "\(object.friends.map { $0.objectID.key }.sorted())",
                "\(object.admirers.map { $0.objectID.key }.sorted())",
            ]
        }
        return state
    }
}

/// Random changes of a context, each of which calls hooks.
private final class MeddledWalk {
    static let hooks: Set<String> = [
        "awakeFromInsert", "awakeFromFetch", "awakeFromSnapshotEvents", "willSave", "didSave",
        "prepareForDeletion", "willTurnIntoFault", "didTurnIntoFault", "validateForInsert",
        "validateForUpdate", "validateForDelete", "validateValue", "policy", "constraint policy",
    ]

    let meddler = Meddler()
    private let context: ManagedObjectContext
    private let session: Connection
    private var random: SplitMix64

    init(_ context: ManagedObjectContext, _ session: Connection, seed: UInt64, keepsUndo: Bool) {
        self.context = context
        self.session = session
        random = SplitMix64(seed: seed)
        context.mergePolicy = MeddlingPolicy(merge: .mergeByPropertyObjectTrump)
        context.userInfo["meddler"] = meddler
        if keepsUndo, context.undoManager == nil { context.undoManager = UndoStack() }
    }

    func run(steps: Int) throws {
        for _ in 1...steps {
            meddler.budget = 2
            try step()
            try context.throwFailure()
        }
        try save(context)
    }

    private func step() throws {
        switch random.below(13) {
        case 0...2: change(context)
        case 3: try save(context)
        case 4: try race()
        case 5: try follow()
        case 6: context.processPendingChanges()
        case 7:
            context.undo()
            if random.chance(1, in: 2) { context.redo() }
        case 8: context.rollback()
        case 9: try context.refreshAllObjects()
        case 10: try child()
        case 11: try collide()
        default:
            try save(context)
            context.reset()
            context.mergePolicy = MeddlingPolicy(merge: .mergeByPropertyObjectTrump)
        }
    }

    /// Makes, changes, links and deletes some objects.
    private func change(_ context: ManagedObjectContext) {
        let objects = all(in: context)
        for _ in 1...3 {
            let new = Meddled(context: context)
            new.code = meddler.code()
            guard !objects.isEmpty else { continue }
            let (object, other) = (random.pick(objects), random.pick(objects))
            switch random.below(6) {
            case 0: object.number += 1
            case 1: new.above = object
            case 2: object.friends.insert(other)
            case 3: object.friends.remove(other)
            case 4: new.friends.insert(object)
            default: context.delete(object)
            }
            if !object.isDeleted { object.number += 1 }
        }
        if objects.count > 30 { for object in objects.prefix(15) { context.delete(object) } }
    }

    private func all(in context: ManagedObjectContext) -> [Meddled] {
        ((try? context.fetch(FetchRequest<Meddled>())) ?? []).filter { !$0.isDeleted }
    }

    private func save(_ context: ManagedObjectContext) throws {
        try context.save()
        #expect(!context.hasChanges)
    }

    /// Another session changes the row of a changed object: the save asks the policy.
    private func race() throws {
        let objects = all(in: context).filter { !$0.isInserted }
        guard !objects.isEmpty else { return }
        let object = random.pick(objects)
        object.number += 1
        try changeRow(of: object)
        try save(context)
    }

    /// Another session changes a row, and the context merges that.
    private func follow() throws {
        let objects = all(in: context).filter { !$0.isInserted }
        guard !objects.isEmpty else { return }
        let object = random.pick(objects)
        if random.chance(1, in: 2) { object.friends.insert(random.pick(objects)) }
        try changeRow(of: object)
        try context.mergeChanges(from: SaveNotice(updated: [object.objectID.typed()]))
    }

    private func changeRow(of object: Meddled) throws {
        _ = try session.query(
            "UPDATE meddled SET number = number + 100, _version = _version + 1 WHERE _id = \(object.objectID.key)"
        )
    }

    /// A child changes and saves.
    private func child() throws {
        let child = context.newChildContext()
        child.mergePolicy = context.mergePolicy
        child.userInfo["meddler"] = meddler
        change(child)
        try save(child)
    }

    /// A new object has the unique value of a row.
    private func collide() throws {
        try save(context)
        guard let code = all(in: context).first?.code else { return }
        context.reset()
        let new = Meddled(context: context)
        new.code = code
        try save(context)
    }
}
