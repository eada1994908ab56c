import Howdah
import HowdahTesting
import TestSupport
import Testing

/// References without an inverse to an object that a save deletes.
@Suite struct OneWayReferenceTests {
    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                "Holder",
                properties: [
                    .attribute("name", .string), .relationship("target", to: "Target"),
                    .relationship("targets", to: "Target", toMany: true),
                ]),
            EntityDescription("Target", properties: [.attribute("name", .string)]),
        ])
    }

    /// Loaded or not, clean or changed: the reference is emptied. Only a change of the program's moves the version.
    @Test(arguments: [false, true], [false, true])
    func aVanishedObjectIsEmptiedWithoutAVersion(isLoaded: Bool, isChanged: Bool) async throws {
        try await withTestStore(Self.model()) { container in
            let (holder, target) = try await container.perform { context in
                let (holder, target) = (context.insert("Holder"), context.insert("Target"))
                holder["target"] = target
                holder["targets"] = [target]
                try context.save()
                return (holder.objectID, target.objectID)
            }
            func row() async throws -> String {
                try await container.perform { context in
                    try context.fetchRows(
                        String.self,
                        sql: #"SELECT "_version"::text || ' ' || ("target" IS NULL)::text FROM "holder""#
                    ).joined()
                }
            }
            #expect(try await row() == "1 false")
            try await container.perform { context in
                let object = try context.existingObject(with: target)
                let owner = isLoaded || isChanged ? try context.existingObject(with: holder) : nil
                if isLoaded { #expect(owner?["target"] as? ManagedObject === object) }
                if isChanged { owner?["name"] = "changed" }
                context.delete(object)
                try context.save()
                let now = try context.existingObject(with: holder)
                #expect(now["target"] as? ManagedObject == nil && !now.hasChanges && !context.hasChanges)
                #expect((now["targets"] as? [ManagedObject])?.isEmpty == true)
                #expect(context.failure == nil)
            }
            #expect(try await row() == (isChanged ? "2 true" : "1 true"))
        }
    }

    /// A context that read the owner before can change it after: it did not change meanwhile.
    @Test func anotherContextSavesTheOwner() async throws {
        try await withTestStore(Self.model()) { container in
            let (holder, target) = try await container.perform { context in
                let (holder, target) = (context.insert("Holder"), context.insert("Target"))
                holder["target"] = target
                try context.save()
                return (holder.objectID, target.objectID)
            }
            let editing = container.newBackgroundContext()
            try await editing.perform { context in
                try context.existingObject(with: holder)["name"] = "edited"
            }
            try await container.perform { context in
                context.delete(try context.existingObject(with: target))
                try context.save()
            }
            try await editing.perform { try $0.save() }
            try await container.perform { context in
                let object = try context.existingObject(with: holder)
                #expect(object["name"] as? String == "edited" && object["target"] as? ManagedObject == nil)
            }
        }
    }
}
