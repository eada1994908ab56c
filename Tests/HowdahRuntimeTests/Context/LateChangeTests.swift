import Foundation
import Howdah
import HowdahTesting
import Logging
import TestSupport
import Testing

/// What `transformed()` or a log handler changes while a save stores something is stored by the next save.
@Suite struct LateChangeTests {
    enum Origin: CaseIterable { case encoding, log }

    enum Change: CaseIterable {
        case other, same, new, insertion, deletion, deletionOfNew, destination, link, order
        case batch, transformation, child, nothing

        fileprivate func make(_ objects: [Late], _ new: Late, in context: ManagedObjectContext) {
            switch self {
            case .other: objects[1].number = 17
            case .same: objects[0].number = 17
            case .new: new.number = 17
            case .insertion: Late(context: context).name = "inserted"
            case .deletion: context.delete(objects[1])
            case .deletionOfNew: context.delete(new)
            case .destination: objects[1].above = new
            case .link: objects[1].idols.insert(objects[2])
            case .order: objects[0].steps.insert(objects[2], at: 0)
            case .batch:
                guard context.parent == nil else { return objects[1].number = 17 }
                try? context.forEachBatch(of: FetchRequest<Late>(), size: 2) { batch in
                    for object in batch { object.number = 17 }
                }
            case .transformation:
                // Reading the former value calls the next one.
                LateSpy.current?.inner = {
                    (objects[0].number, objects[1].number) = (16, 17)
                    context.delete(objects[2])
                }
                objects[0].tint = LateTint("again")
            case .child:
                let child = context.newChildContext()
                LateSpy.current?.child = (child, try? child.existingObject(with: objects[0].objectID))
            case .nothing: break
            }
        }

        /// Indicates whether the lines of a store have it.
        func isStored(_ lines: [String]) -> Bool {
            switch self {
            case .other, .batch: lines.contains { $0.hasPrefix("b 17") }
            case .same: lines.contains { $0.hasPrefix("a 17") }
            case .new: lines.contains { $0.hasPrefix("new 17") }
            case .insertion: lines.contains { $0.hasPrefix("inserted") }
            case .deletion: !lines.contains { $0.hasPrefix("b ") }
            case .deletionOfNew: !lines.contains { $0.hasPrefix("new ") }
            case .destination: lines.contains { $0.hasPrefix("b 0 tb above new") }
            case .link: lines.contains { $0.hasPrefix("b ") && $0.contains("idols c") }
            case .order: lines.contains { $0.hasPrefix("a ") && $0.contains("steps c") }
            case .transformation:
                lines.count == 3 && lines[0].hasPrefix("a 16 again") && lines[1].hasPrefix("b 17")
            case .child, .nothing: lines.count == 4
            }
        }
    }

    /// At whichever call it happens.
    @Test(arguments: Origin.allCases, Change.allCases)
    func lateChangesAreStoredByTheNextSave(_ origin: Origin, _ change: Change) async throws {
        var options = StoreOptions()
        options.logger = Logger(label: "late") { _ in LateSpy.Handler() }
        options.logger.logLevel = .trace
        try await withTestStore(ManagedObjectModel(Late.self), options: options) { container in
            for (levels, isSole) in [(0, false), (0, true), (1, false)] {
                var wasCalled = true
                var call = 1
                while wasCalled, call < 8 {
                    let comment: Comment =
                        "\(origin), \(change), levels \(levels), sole \(isSole), call \(call)"
                    let spy = LateSpy(origin, call)
                    wasCalled = try await LateSpy.$current.withValue(spy) {
                        try await Self.run(change, levels, isSole, spy, comment, container)
                    }
                    call += 1
                }
                #expect(call > 2, "\(origin), \(change): never called")
            }
        }
    }

    private static func run(
        _ change: Change, _ levels: Int, _ isSole: Bool, _ spy: LateSpy, _ comment: Comment,
        _ container: PersistentContainer
    ) async throws -> Bool {
        let ids = try await container.perform { context in
            for object in try context.fetch(Late.self) { context.delete(object) }
            try context.save()
            let objects = ["a", "b", "c"].map { name in
                let object = Late(context: context)
                (object.name, object.tint) = (name, LateTint("t\(name)"))
                return object
            }
            try context.save()
            return objects.map(\.objectID)
        }
        let memory = try await container.newBackgroundContext().perform { root in
            var context = root
            for _ in 0..<levels { context = context.newChildContext() }
            let objects = try ids.map { try context.existingObject(with: $0) }
            for object in objects { _ = (object.tint, object.steps.count) }
            let new = Late(context: context)
            (new.name, new.tint) = ("new", LateTint("new"))
            // Then the save that changes come late for has one changed object.
            if isSole { try context.save() }
            objects[0].tint = LateTint("changed")
            spy.body = { change.make(objects, new, in: context) }
            try context.save()
            spy.body = nil
            // The first save was the one that it came late for, or it came before the values were taken.
            try context.save()
            #expect(!context.hasChanges, comment)
            if let (child, object) = spy.child {
                #expect(object?.version == objects[0].version, comment)
                spy.child = nil
                withExtendedLifetime(child) {}
            }
            if levels > 0 { try root.save() }
            return try lines(context)
        }
        let stored = try await container.perform { try lines($0) }
        #expect(memory == stored, comment)
        if spy.wasCalled { #expect(change.isStored(stored), "\(comment): \(stored)") }
        return spy.wasCalled
    }

    private static func lines(_ context: ManagedObjectContext) throws -> [String] {
        try context.fetch(Late.self, sortedBy: .ascending(\.name)).map { object in
            let (idols, steps) = (object.idols.map(\.name).sorted(), object.steps.map(\.name))
            return "\(object.name) \(object.number) \(object.tint.name) above \(object.above?.name ?? "-") "
                + "below \(object.below.map(\.name).sorted().joined()) idols \(idols.joined()) steps \(steps.joined())"
        }
    }
}

/// Calls back once, at a call of the given number.
private final class LateSpy: @unchecked Sendable {
    @TaskLocal static var current: LateSpy?

    private let origin: LateChangeTests.Origin
    private var rest: Int
    private(set) var wasCalled = false
    /// Used by one context at a time.
    var body: (() -> Void)?
    /// A child context, and its object of the changed one.
    var child: (ManagedObjectContext, Late?)?
    /// What the next transformation does.
    var inner: (() -> Void)?

    init(_ origin: LateChangeTests.Origin, _ call: Int) { (self.origin, rest) = (origin, call) }

    func call(_ origin: LateChangeTests.Origin) {
        guard origin == self.origin, let body else { return }
        rest -= 1
        guard rest == 0 else { return }
        wasCalled = true
        self.body = nil
        body()
    }

    struct Handler: LogHandler {
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { LateSpy.current?.call(.log) }
    }
}

private struct LateTint: AttributeTransformable {
    var name = ""

    init() {}

    init(_ name: String) { self.name = name }

    init(transformed data: Data) throws { name = String(decoding: data, as: UTF8.self) }

    func transformed() throws -> Data {
        if let inner = LateSpy.current?.inner {
            LateSpy.current?.inner = nil
            inner()
        }
        LateSpy.current?.call(.encoding)
        return Data(name.utf8)
    }
}

@Entity private final class Late: ManagedObject {
    var name: String
    var number: Int = 0
    var tint: LateTint = LateTint()
    @Relationship(inverse: "above") var below: ToMany<Late>
    @Relationship(inverse: "below") var above: Late?
    @Relationship(inverse: "fans") var idols: ToMany<Late>
    @Relationship(inverse: "idols") var fans: ToMany<Late>
    @Relationship(inverse: "leader") var steps: OrderedToMany<Late>
    @Relationship(inverse: "steps") var leader: Late?
}
