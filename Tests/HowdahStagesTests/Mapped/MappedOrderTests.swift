import Howdah
import HowdahTesting
import TestSupport
import Testing

/// An ordered relationship keeps its order, whichever mappings make its members.
@Suite(.needsSession) struct MappedOrderTests {
    private final class Plain: EntityMigrationPolicy {}

    private static func model(_ modifier: String) throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                "Parent",
                properties: [
                    .attribute("name", .string, versionHashModifier: modifier),
                    .relationship("kids", to: "Kid", inverse: "parent", toMany: true, ordered: true),
                ]),
            EntityDescription(
                "Kid",
                properties: [
                    .attribute("name", .string), .relationship("parent", to: "Parent", inverse: "kids"),
                ]),
            EntityDescription("Mate", superentity: "Kid"),
        ])
    }

    private static func mapping(policyOf entity: String?) -> MappingModel {
        MappingModel(
            entityMappings: ["Mate", "Kid", "Parent"].map { name in
                EntityMapping(
                    from: name, to: name, attributeMappings: [PropertyMapping("name", .source("name"))],
                    relationshipMappings: name == "Parent"
                        ? [
                            PropertyMapping(
                                "kids",
                                .destinationInstances(
                                    forSourceRelationshipNamed: "kids", sourceInstances: .source("kids")))
                        ] : [], entityMigrationPolicyClassName: name == entity ? "Plain" : nil)
            })
    }

    @Test(arguments: [nil, "Kid", "Mate", "Parent"]) func membersStayInPlace(_ policy: String?) async throws {
        let (old, new) = (try Self.model("1"), try Self.model("2"))
        try await withTestDatabase(for: old) { database in
            let before = try await PersistentContainer.open(database.url, model: old)
            try await before.perform { context in
                let parent = context.insert("Parent")
                for (number, entity) in ["Kid", "Mate", "Kid", "Mate", "Kid"].enumerated().reversed() {
                    let kid = context.insert(entity)
                    kid["name"] = "\(number)"
                    try context.obtainPermanentIDs(for: [kid])
                }
                let kids = try context.fetch("Kid").sorted { "\($0["name"] ?? "")" < "\($1["name"] ?? "")" }
                for kid in kids { parent.orderedMembers(forKey: "kids").append(kid) }
                try context.save()
            }
            await before.close()
            var options = StoreOptions()
            options.stagedMigrationManager = StagedMigrationManager([
                MappedMigrationStage(
                    migratingFrom: ManagedObjectModelReference(old, versionChecksum: old.versionChecksum),
                    to: ManagedObjectModelReference(new, versionChecksum: new.versionChecksum),
                    mapping: Self.mapping(policyOf: policy), policies: ["Plain": Plain.self])
            ])
            let after = try await PersistentContainer.open(database.url, model: new, options: options)
            let names = try await after.perform { context in
                try context.fetch("Parent").flatMap { parent in
                    parent.orderedMembers(forKey: "kids").map { $0["name"] as? String ?? "" }
                }
            }
            await after.close()
            #expect(names == ["0", "1", "2", "3", "4"])
        }
    }
}
