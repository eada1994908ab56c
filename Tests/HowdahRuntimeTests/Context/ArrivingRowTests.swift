import Howdah
import HowdahTesting
import Logging
import TestSupport
import Testing

/// What a log handler reads while a save inserts rows are the objects that are being saved.
@Suite struct ArrivingRowTests {
    @Test(arguments: [1, 3, 200])
    func rowsOfTheSaveAreItsObjects(count: Int) async throws {
        try await Self.run { context, spy in
            var new: [Arrival] = []
            for number in 0..<count {
                let object = Arrival(context: context)
                object.number = number
                new.append(object)
            }
            let known = Set(new.map(ObjectIdentifier.init))
            var (calls, others, counts) = (0, 0, Set<Int>())
            spy.onLog = {
                calls += 1
                let found = (try? context.fetch(Arrival.self)) ?? []
                others += found.count { !known.contains(ObjectIdentifier($0)) }
                counts.insert(found.count)
                counts.insert((try? context.count(for: FetchRequest<Arrival>())) ?? -1)
            }
            try context.save()
            spy.onLog = nil
            #expect(calls > 0 && others == 0 && counts == [count])
            #expect(context.registeredObjectCount == count)
            new[0].number = 1000
            #expect(try context.fetch(Arrival.self).contains { $0 === new[0] && $0.number == 1000 })
            try context.save()
            // Objects that end leave the map.
            new = []
            spy.onLog = nil
            #expect(context.registeredObjects.isEmpty)
            let stored = try context.fetch(Arrival.self, sortedBy: .ascending(\.number)).map(\.number)
            #expect(stored == Array(1..<count) + [1000])
        }
    }

    /// Members and destinations are found as objects, too.
    @Test func relationshipsLeadToTheObjectsOfTheSave() async throws {
        try await Self.run { context, spy in
            let owner = Arrival(context: context)
            try context.save()
            let id = owner.objectID
            var members: [Arrival] = []
            for number in 1...3 {
                let member = Arrival(context: context)
                (member.number, member.above) = (number, owner)
                members.append(member)
            }
            var sizes: Set<Int> = []
            spy.onLog = {
                guard let owner = try? context.existingObject(with: id) else { return }
                sizes.insert(owner.below.count)
                sizes.insert(Set(owner.below.map(ObjectIdentifier.init)).count)
            }
            try context.save()
            spy.onLog = nil
            #expect(sizes == [3])
            #expect(context.registeredObjectCount == 4)
            #expect(owner.below.map(\.number).sorted() == [1, 2, 3])
            #expect(members.allSatisfy { $0.above === owner })
        }
    }

    /// A save that fails leaves its objects under their temporary ids, and finds them under no others.
    @Test func afterAFailureNothingArrives() async throws {
        try await Self.run { context, spy in
            try context.withConnection {
                _ = try $0.query("ALTER TABLE arrival ADD CHECK (number > 0)")
            }
            let (good, bad) = (Arrival(context: context), Arrival(context: context))
            (good.number, bad.number) = (1, -1)
            spy.onLog = { _ = try? context.fetch(Arrival.self) }
            #expect(throws: SaveError.self) { try context.save() }
            spy.onLog = nil
            #expect(context.registeredObjectCount == 2 && context.insertedObjects.count == 2)
            bad.number = 2
            try context.save()
            #expect(try context.fetch(Arrival.self).count == 2 && context.registeredObjectCount == 2)
        }
    }

    private static func run(
        _ body: @escaping @Sendable (ManagedObjectContext, LogSpy) throws -> Void
    ) async throws {
        let spy = LogSpy()
        var options = StoreOptions()
        options.logger = Logger(label: "arrivals") { _ in LogSpy.Handler(spy: spy) }
        options.logger.logLevel = .trace
        try await withTestStore(ManagedObjectModel(Arrival.self), options: options) { container in
            try await container.perform { try body($0, spy) }
        }
    }
}

/// Calls back for each line of a log; not while it does.
private final class LogSpy: @unchecked Sendable {
    /// Used by one context at a time.
    var onLog: (() -> Void)?

    struct Handler: LogHandler {
        let spy: LogSpy
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            guard let body = spy.onLog else { return }
            spy.onLog = nil
            body()
            spy.onLog = body
        }
    }
}

@Entity private final class Arrival: ManagedObject {
    var number: Int = 0
    @Relationship(inverse: "below") var above: Arrival?
    @Relationship(inverse: "above") var below: ToMany<Arrival>
}
