import Howdah
import HowdahModel
import HowdahTesting
import TestSupport
import Testing

/// A required to-one whose column is in the destination's row is kept by every save.
@Suite struct RequiredOneTests {
    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                "Hen", properties: [.relationship("egg", to: "Egg", inverse: "layer", optional: false)]),
            EntityDescription(
                "Egg", properties: [.relationship("layer", to: "Hen", inverse: "egg", optional: false)]),
        ])
    }

    private static func pair(_ context: ManagedObjectContext) -> (hen: ManagedObject, egg: ManagedObject) {
        let (hen, egg) = (context.insert("Hen"), context.insert("Egg"))
        hen["egg"] = egg
        return (hen, egg)
    }

    private static func refusal(
        of property: String, _ context: ManagedObjectContext, _ location: SourceLocation = #_sourceLocation
    ) {
        let error = #expect(throws: SaveError.self, sourceLocation: location) { try context.save() }
        #expect(error?.code == .validation, sourceLocation: location)
        #expect(error?.issues.map(\.propertyName) == [property], "\(error as Any)", sourceLocation: location)
        context.rollback()
    }

    /// Objects as they were inserted, and objects that a context read.
    @Test(arguments: [false, true]) func anOwnerKeepsItsDestination(isRead: Bool) async throws {
        try await withTestStore(Self.model()) { container in
            try await container.perform { context in
                _ = context.insert("Hen")
                Self.refusal(of: "egg", context)

                var (hen, egg) = Self.pair(context)
                try context.save()
                if isRead {
                    context.reset()
                    (hen, egg) = try (
                        #require(context.fetch("Hen").first), #require(context.fetch("Egg").first)
                    )
                }
                // Another hen takes the egg.
                context.insert("Hen")["egg"] = egg
                Self.refusal(of: "egg", context)
                context.delete(egg)
                Self.refusal(of: "egg", context)
                // The first one gets another, or goes.
                context.insert("Hen")["egg"] = egg
                hen["egg"] = context.insert("Egg")
                try context.save()
                context.insert("Hen")["egg"] = hen["egg"]
                context.delete(hen)
                try context.save()
                #expect(try context.fetch("Hen").count == 2)
            }
        }
    }

    @Test func aChildContextKeepsItToo() async throws {
        try await withTestStore(Self.model()) { container in
            try await container.perform { context in
                let (hen, egg) = Self.pair(context)
                try context.save()
                let child = context.newChildContext()
                let theirs = try child.existingObject(with: egg.objectID)
                child.insert("Hen")["egg"] = theirs
                Self.refusal(of: "egg", child)
                child.insert("Hen")["egg"] = theirs
                try child.existingObject(with: hen.objectID)["egg"] = child.insert("Egg")
                try child.save()
                try context.save()
                #expect(try context.fetch("Egg").count == 2)
            }
        }
    }
}
