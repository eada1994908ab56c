import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

/// What is done with objects that a save deleted, and names that lead nowhere: mistakes that say what happened.
@Suite struct DeletedObjectTests {
    private static func text(_ error: FetchError?) -> String { error?.message ?? "" }

    @Test func usesAfterASavedDeletionSaySo() async throws {
        let set = await #expect(throws: FetchError.self) {
            try await Spare.withDeleted { part, _ in part["name"] = "x" }
        }
        #expect(Self.text(set).contains("was changed after a save or another session had deleted it"))
        let given = await #expect(throws: FetchError.self) {
            try await Spare.withDeleted { part, context in context.insert("Part")["whole"] = part }
        }
        #expect(Self.text(given).contains("assigned to Part.whole after a save"))
    }

    @Test func deletingOnceMoreIsNothing() async throws {
        try await withTestStore(Spare.model()) { container in
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
        let element = await #expect(throws: FetchError.self) {
            try await Spare.withNew { $0["tags"] = ["a", 3] as [Any] }
        }
        #expect(Self.text(element).contains("Part.tags cannot hold Int (3) at index 1"))
        let member = await #expect(throws: FetchError.self) {
            try await Spare.withNew { $0["place"] = ["citty": "Rome"] }
        }
        #expect(Self.text(member).contains("a member 'citty', because its elements are city, zip"))
        let path = await #expect(throws: FetchError.self) {
            try await Spare.withNew { $0["place.citty"] = "Rome" }
        }
        #expect(Self.text(path).contains("a member 'citty'"))
    }
}

/// One part, new or deleted by a save.
private enum Spare {
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

    static func withDeleted(
        _ use: @escaping @Sendable (ManagedObject, ManagedObjectContext) -> Void
    ) async throws {
        try await withTestStore(model()) { container in
            try await container.perform { context in
                let part = context.insert("Part")
                try context.save()
                context.delete(part)
                try context.save()
                use(part, context)
            }
        }
    }

    static func withNew(_ use: @escaping @Sendable (ManagedObject) -> Void) async throws {
        try await withTestStore(model()) { container in
            try await container.perform { context in use(context.insert("Part")) }
        }
    }
}
