import Foundation
import Howdah
import HowdahTesting
import Testing

private enum LettersV1: VersionedSchema {
    static var model: ManagedObjectModel {
        get throws {
            try ManagedObjectModel(entities: [
                EntityDescription(
                    "Letter",
                    properties: [
                        .attribute("number", .string, optional: false), .attribute("weight", .integer32),
                        .attribute("body", .string),
                    ])
            ])
        }
    }
}

private enum LettersV2: VersionedSchema {
    static var model: ManagedObjectModel {
        get throws {
            try ManagedObjectModel(entities: [
                EntityDescription(
                    "Letter",
                    properties: [
                        .attribute("number", .integer16, optional: false), .attribute("ounces", .double),
                        .relationship(
                            "paragraphs", to: "Paragraph", inverse: "letter", toMany: true, ordered: true,
                            deleteRule: .cascade),
                    ]),
                EntityDescription(
                    "Paragraph",
                    properties: [
                        .attribute("text", .string, optional: false),
                        .relationship("letter", to: "Letter", inverse: "paragraphs", optional: false),
                    ]),
            ])
        }
    }
}

// snippet
final class LetterPolicy: EntityMigrationPolicy {
    override func createDestinationInstances(
        forSource source: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
    ) throws {
        let letter = manager.destinationContext.insert("Letter")
        try manager.setAttributes(of: letter, from: source, in: mapping)  // what the mapping model says
        try manager.associate(sourceInstance: source, withDestinationInstance: letter, for: mapping)
    }

    override func createRelationships(
        forDestination letter: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
    ) throws {
        let sources = try manager.sourceInstances(
            forEntityMappingName: mapping.name, destinationInstances: [letter])
        let separator = Character(mapping.userInfo["separator"] ?? "\n")
        for text in (sources.first?["body"] as? String ?? "").split(separator: separator) {
            let paragraph = manager.destinationContext.insert("Paragraph")
            (paragraph["text"], paragraph["letter"]) = (String(text), letter)
        }
    }
}
// end

/// The code of the part of `docs/from-core-data.md` about mapping models with expressions and more hooks.
@Suite struct FromCoreDataPolicyTests {
    private static func mapping() throws -> MappingModel {
        // snippet
        let mapping = MappingModel(entityMappings: [
            EntityMapping(
                from: "Letter", to: "Letter",
                attributeMappings: [
                    PropertyMapping(
                        "number", try MappingExpression(format: "trunc:(CAST($source.number, 'NSNumber'))")),
                    PropertyMapping("ounces", try MappingExpression(format: "$source.weight / 28.35")),
                ], entityMigrationPolicyClassName: "LetterPolicy", userInfo: ["separator": "|"])
        ])
        // end
        return mapping
    }

    @Test func textBecomesParagraphs() async throws {
        let (v1, v2, mapping) = (try LettersV1.model, try LettersV2.model, try Self.mapping())
        try await withTemporaryDatabase(for: v1) { database in
            let before = try await PersistentContainer.open(database.url, model: v1)
            try await before.perform { context in
                for (number, weight, body) in [("7", 567, "Dear Ada,|it rains."), ("12", nil, nil)] {
                    let letter = context.insert("Letter")
                    letter["number"] = number
                    letter["weight"] = weight
                    letter["body"] = body
                }
                try context.save()
            }
            await before.close()
            let url = database.url
            // snippet
            var options = StoreOptions()
            options.stagedMigrationManager = StagedMigrationManager([
                MappedMigrationStage(
                    migratingFrom: ManagedObjectModelReference(v1, versionChecksum: v1.versionChecksum),
                    to: ManagedObjectModelReference(v2, versionChecksum: v2.versionChecksum),
                    mapping: mapping, policies: ["LetterPolicy": LetterPolicy.self])
            ])
            let container = try await PersistentContainer.open(url, model: v2, options: options)
            // end
            let found = try await container.perform { context in
                try context.fetch("Letter", sortedBy: .key("number")).map { letter in
                    let texts = letter.orderedMembers(forKey: "paragraphs").map { "\($0["text"] ?? "")" }
                    return "\(letter["number"] ?? "") \(letter["ounces"] ?? "nil") \(texts)"
                }
            }
            await container.close()
            #expect(found == ["7 20.0 [\"Dear Ada,\", \"it rains.\"]", "12 nil []"])
        }
    }
}
