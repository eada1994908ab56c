import Howdah
import HowdahTesting
import TestSupport
import Testing

/// What a hook changes in other objects is kept when all of them are read again.
@Suite struct RefreshHookTests {
    enum Way: CaseIterable { case refreshAll, merge }

    enum Hook: CaseIterable {
        case awakeFromFetch, awakeFromSnapshotEvents, willTurnIntoFault, didTurnIntoFault
    }

    @Test(arguments: Way.allCases, Hook.allCases)
    func changesOfHooksInOtherObjectsAreStored(_ way: Way, _ hook: Hook) async throws {
        for isChanged in [true, false] {
            for levels in [0, 1] {
                let calls = try await Self.run(way, hook, isChanged, levels)
                // A changed object stays one; an unchanged one becomes a fault.
                let isCalled = isChanged == [.awakeFromFetch, .awakeFromSnapshotEvents].contains(hook)
                #expect(calls == (isCalled ? 1 : 0), "changed: \(isChanged), levels: \(levels)")
            }
        }
    }

    private static func run(_ way: Way, _ hook: Hook, _ isChanged: Bool, _ levels: Int) async throws -> Int {
        try await withTestStore(ManagedObjectModel(Refreshed.self)) { container in
            let spy = RefreshSpy()
            return try await RefreshSpy.$current.withValue(spy) {
                let ids = try await container.perform { context in
                    let objects = ["a", "b", "c"].map { name in
                        let object = Refreshed(context: context)
                        object.name = name
                        return object
                    }
                    try context.save()
                    return objects.map(\.objectID)
                }
                let calls = try await container.newBackgroundContext().perform { root in
                    var context = root
                    for _ in 0..<levels { context = context.newChildContext() }
                    let objects = try ids.map { try context.existingObject(with: $0) }
                    for object in objects { _ = object.number }
                    if isChanged { objects[0].number = 1 }
                    var calls = 0
                    spy.onHook = { name, object in
                        guard name == hook, object === objects[0] else { return }
                        calls += 1
                        for other in objects[1...] { other.number = 77 }
                    }
                    switch way {
                    case .refreshAll: try context.refreshAllObjects()
                    case .merge: try context.mergeChanges(from: SaveNotice(updated: ids.map { $0.typed() }))
                    }
                    spy.onHook = nil
                    try context.save()
                    if levels > 0 { try root.save() }
                    return calls
                }
                let stored = try await container.perform { context in
                    try ids.map { try context.existingObject(with: $0).number }
                }
                #expect(
                    stored == [isChanged ? 1 : 0] + Array(repeating: calls > 0 ? 77 : 0, count: 2),
                    "changed: \(isChanged), levels: \(levels)")
                return calls
            }
        }
    }
}

private final class RefreshSpy: @unchecked Sendable {
    @TaskLocal static var current: RefreshSpy?

    /// Used by one context at a time.
    var onHook: ((RefreshHookTests.Hook, Refreshed) -> Void)?
}

@Entity private final class Refreshed: ManagedObject {
    var name: String
    var number: Int = 0

    override func awakeFromFetch() { RefreshSpy.current?.onHook?(.awakeFromFetch, self) }

    override func awakeFromSnapshotEvents(_ events: SnapshotEvents) {
        RefreshSpy.current?.onHook?(.awakeFromSnapshotEvents, self)
    }

    override func willTurnIntoFault() { RefreshSpy.current?.onHook?(.willTurnIntoFault, self) }

    override func didTurnIntoFault() { RefreshSpy.current?.onHook?(.didTurnIntoFault, self) }
}
