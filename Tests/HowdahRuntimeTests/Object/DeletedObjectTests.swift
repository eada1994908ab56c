import Foundation
import Howdah
import HowdahTesting
import Testing

/// What is done with objects that a save deleted, and names that lead nowhere: mistakes that say what happened.
@Suite struct DeletedObjectTests {
    private static func stderr(_ result: ExitTest.Result?) -> String {
        String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    }

    @Test func usesAfterASavedDeletionSaySo() async throws {
        let set = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try await Spare.withDeleted { $0["name"] = "x" }
        }
        #expect(Self.stderr(set).contains("a save had deleted it; keep its objectID"))
        let given = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try await Spare.withDeleted { part in
                guard let context = Spare.context else { return }
                context.insert("Part")["whole"] = part
            }
        }
        #expect(Self.stderr(given).contains("given a Part after a save had deleted it"))
    }

    @Test func deletingOnceMoreIsNothing() async throws {
        try await withTemporaryStore(Spare.model()) { container in
            try await container.perform { context in
                let (part, new) = (context.insert("Part"), context.insert("Part"))
                context.delete(new)
                try context.save()
                context.delete(part)
                context.delete(part)
                try context.save()
                for object in [part, new] {
                    context.delete(object)
                    #expect(object.isDeleted && !context.hasChanges)
                }
                try context.save()
                #expect(try context.count(for: FetchRequest<ManagedObject>(entityName: "Part")) == 0)
            }
        }
    }

    @Test func valuesThatDoNotFitAreNamed() async throws {
        let element = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try await Spare.withNew { $0["tags"] = ["a", 3] as [Any] }
        }
        #expect(Self.stderr(element).contains("Part.tags cannot hold Int (3) at index 1"))
        let member = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try await Spare.withNew { $0["place"] = ["citty": "Rome"] }
        }
        #expect(Self.stderr(member).contains("a member 'citty', because its elements are city, zip"))
        let path = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try await Spare.withNew { $0["place.citty"] = "Rome" }
        }
        #expect(Self.stderr(path).contains("a member 'citty'"))
    }
}

/// One part that a save deleted, for a process that is to end.
private enum Spare {
    nonisolated(unsafe) static var context: ManagedObjectContext?

    static func model() throws -> ManagedObjectModel {
        let place = CompositeDescription("Place", [.init("city", .string), .init("zip", .string)])
        return try ManagedObjectModel(entities: [
            EntityDescription(
                "Part",
                properties: [
                    .attribute("name", .string), .attribute("tags", .array(of: .string)),
                    .attribute("place", .composite(place)), .relationship("whole", to: "Part"),
                ])
        ])
    }

    static func withDeleted(_ use: @escaping @Sendable (ManagedObject) -> Void) async throws {
        try await withTemporaryStore(model()) { container in
            try await container.perform { context in
                Self.context = context
                let part = context.insert("Part")
                try context.save()
                context.delete(part)
                try context.save()
                use(part)
            }
        }
    }

    static func withNew(_ use: @escaping @Sendable (ManagedObject) -> Void) async throws {
        try await withTemporaryStore(model()) { container in
            try await container.perform { context in use(context.insert("Part")) }
        }
    }
}
