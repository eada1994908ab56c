import Howdah
import HowdahTesting
import TestSupport
import Testing

/// An entity mapping without source objects has destinations that its policy creates and associates.
@Suite(.needsSession) struct MappedAddedTests {
    private final class Plain: EntityMigrationPolicy {}

    /// Creates one room for all boxes.
    private final class OneRoom: EntityMigrationPolicy {
        override func endInstanceCreation(forMapping mapping: EntityMapping, manager: MigrationManager) throws
        {
            let room = manager.destinationContext.insert("Room")
            for box in try manager.sourceContext.fetch("Box") {
                try manager.associate(sourceInstance: box, withDestinationInstance: room, for: mapping)
            }
        }
    }

    private static func stage(_ old: ManagedObjectModel, _ new: ManagedObjectModel, _ policy: String?) throws
        -> MappedMigrationStage
    {
        MappedMigrationStage(
            migratingFrom: ManagedObjectModelReference(old, versionChecksum: old.versionChecksum),
            to: ManagedObjectModelReference(new, versionChecksum: new.versionChecksum),
            mapping: MappingModel(entityMappings: [
                EntityMapping("Rooms", to: "Room", entityMigrationPolicyClassName: "OneRoom"),
                EntityMapping(
                    from: "Box", to: "Box",
                    attributeMappings: [PropertyMapping("name", .source("name"))],
                    relationshipMappings: [
                        PropertyMapping(
                            "room",
                            try MappingExpression(
                                format:
                                    "FUNCTION($manager, 'destinationInstancesForEntityMappingNamed:sourceInstances:', 'Rooms', $source)"
                            ))
                    ], entityMigrationPolicyClassName: policy),
            ]), policies: ["OneRoom": OneRoom.self, "Plain": Plain.self])
    }

    @Test("Statements and objects find the objects that a policy associated", arguments: [nil, "Plain"])
    func associatedObjectsAreLinked(_ policy: String?) async throws {
        let old = try ManagedObjectModel(entities: [
            EntityDescription("Box", properties: [.attribute("name", .string)])
        ])
        let new = try ManagedObjectModel(entities: [
            EntityDescription(
                "Box",
                properties: [
                    .attribute("name", .string), .relationship("room", to: "Room", inverse: "boxes"),
                ]),
            EntityDescription(
                "Room", properties: [.relationship("boxes", to: "Box", inverse: "room", toMany: true)]),
        ])
        try await withTestDatabase(for: old) { database in
            let before = try await PersistentContainer.open(database.url, model: old)
            try await before.perform { context in
                for name in ["a", "b"] { context.insert("Box")["name"] = name }
                try context.save()
            }
            await before.close()
            var options = StoreOptions()
            options.stagedMigrationManager = StagedMigrationManager([try Self.stage(old, new, policy)])
            let after = try await PersistentContainer.open(database.url, model: new, options: options)
            let members = try await after.perform { context in
                try context.fetch("Room").map { ($0["boxes"] as? [ManagedObject] ?? []).count }
            }
            await after.close()
            #expect(members == [2])
        }
    }
}
