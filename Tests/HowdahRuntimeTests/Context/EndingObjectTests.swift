import Howdah
import HowdahTesting
import TestSupport
import Testing

/// The `deinit` of a class runs before its object has left the context, which must not return the object any more.
@Suite struct EndingObjectTests {
    enum Read: CaseIterable { case change, delete, destination, members, fetch, registered, identifier }

    /// A reference to the object that is kept would end the process.
    @Test(arguments: Read.allCases) func whatADeinitReadsIsAnotherObject(_ read: Read) async throws {
        try await withTestStore(ManagedObjectModel(Ending.self)) { container in
            let spy = EndingSpy()
            try await EndingSpy.$current.withValue(spy) {
                let ids = try await container.perform { context in
                    let objects = (0..<4).map { number in
                        let object = Ending(context: context)
                        object.number = number
                        return object
                    }
                    for object in objects[1...] { object.above = objects[0] }
                    objects[0].above = objects[1]
                    try context.save()
                    return objects.map(\.objectID)
                }
                try await container.perform { context in
                    var objects = try context.fetch(Ending.self, sortedBy: .ascending(\.number))
                    let root = objects[0]
                    var kept: [ManagedObject] = []
                    spy.onEnd = {
                        switch read {
                        case .change:
                            for case let object as Ending in context.registeredObjects { object.number += 10 }
                        case .delete: context.registeredObjects.forEach(context.delete)
                        case .destination: kept = [root.above].compactMap { $0 }
                        case .members: kept = Array(root.below)
                        case .fetch: kept = (try? context.fetch(Ending.self)) ?? []
                        case .registered: kept = context.registeredObjects
                        case .identifier:
                            kept = [context.object(with: ids[1])]
                            kept += [context.registeredObject(for: ids[1])].compactMap { $0 }
                        }
                    }
                    objects.remove(at: 1)
                    #expect(spy.onEnd == nil, "the object is held by something")
                    // Whatever is there now is one object for each row.
                    let found = try context.fetch(Ending.self, sortedBy: .ascending(\.number))
                    #expect(Set(found.map(\.objectID)).count == found.count)
                    let known = context.registeredObjects
                    #expect(Set(known.map(\.objectID)).count == known.count)
                    try context.save()
                    kept = []
                }
                let stored = try await container.perform { context in
                    try context.fetch(Ending.self, sortedBy: .ascending(\.number)).map(\.number)
                }
                switch read {
                case .change: #expect(stored == [1, 10, 12, 13])
                case .delete: #expect(stored == [1])
                default: #expect(stored == [0, 1, 2, 3])
                }
            }
        }
    }
}

private final class EndingSpy: @unchecked Sendable {
    @TaskLocal static var current: EndingSpy?

    /// Called once, by the object with the number 1.
    var onEnd: (() -> Void)?
}

@Entity private final class Ending: ManagedObject {
    var number: Int = 0
    @Relationship(inverse: "below") var above: Ending?
    @Relationship(inverse: "above") var below: ToMany<Ending>

    deinit {
        guard number == 1, let spy = EndingSpy.current, let body = spy.onEnd else { return }
        spy.onEnd = nil
        body()
    }
}
