import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

/// The example of `docs/mapping-models.md`, compiled and run.
@Suite struct MappingGuideTests {
    private enum V1: VersionedSchema {
        static var model: ManagedObjectModel {
            get throws {
                try ManagedObjectModel(entities: [
                    EntityDescription(
                        "Note",
                        properties: [
                            .attribute("text", .string, optional: false), .attribute("tags", .string),
                        ]),
                    EntityDescription("Draft", properties: [.attribute("text", .string)]),
                ])
            }
        }
    }

    private enum V2: VersionedSchema {
        static var model: ManagedObjectModel {
            get throws {
                try ManagedObjectModel(entities: [
                    EntityDescription(
                        "Note",
                        properties: [
                            .attribute("title", .string, optional: false),
                            .relationship("tags", to: "Tag", inverse: "notes", toMany: true),
                        ]),
                    EntityDescription(
                        "Tag",
                        properties: [
                            .attribute("name", .string, optional: false),
                            .relationship("notes", to: "Note", inverse: "tags", toMany: true),
                        ], uniquenessConstraints: [["name"]]),
                ])
            }
        }
    }

    // snippet
    /// Makes one tag of each name in notes that have it.
    private final class TagPolicy: EntityMigrationPolicy {
        private var known: [String: ManagedObject] = [:]

        override func createDestinationInstances(
            forSource note: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
        ) throws {
            for name in (note["tags"] as? String ?? "").split(separator: " ").map(String.init) {
                let tag = known[name] ?? manager.destinationContext.insert("Tag")
                tag["name"] = name
                known[name] = tag
                try manager.associate(sourceInstance: note, withDestinationInstance: tag, for: mapping)
            }
        }

        override func performCustomValidation(
            forMapping mapping: EntityMapping, manager: MigrationManager
        ) throws {
            manager.userInfo["tags"] = known.count
        }
    }

    private static func stage(_ old: ManagedObjectModel, _ new: ManagedObjectModel) throws
        -> MappedMigrationStage
    {
        MappedMigrationStage(
            migratingFrom: ManagedObjectModelReference(old, versionChecksum: old.versionChecksum),
            to: ManagedObjectModelReference(new, versionChecksum: new.versionChecksum),
            mapping: MappingModel(entityMappings: [
                EntityMapping(
                    from: "Note", to: "Note",
                    attributeMappings: [
                        PropertyMapping("title", try MappingExpression(format: "uppercase($source.text)"))
                    ],
                    relationshipMappings: [
                        PropertyMapping(
                            "tags",
                            .destinationInstances(
                                forEntityMappingNamed: "NoteToTag", sourceInstances: .source()))
                    ]),
                EntityMapping(from: "Note", to: "Tag", entityMigrationPolicyClassName: "TagPolicy"),
                EntityMapping(from: "Draft"),
            ]), policies: ["TagPolicy": TagPolicy.self])
    }
    // end

    @Test func theExampleRuns() async throws {
        let (old, new) = (try V1.model, try V2.model)
        try await withTemporaryDatabase(for: old) { database in
            let before = try await PersistentContainer.open(database.url, model: old)
            try await before.perform { context in
                for (text, tags) in [("one", "a b"), ("two", "b"), ("three", nil)] {
                    let note = context.insert("Note")
                    note["text"] = text
                    note["tags"] = tags
                }
                context.insert("Draft")["text"] = "gone"
                try context.save()
            }
            await before.close()
            var options = StoreOptions()
            options.stagedMigrationManager = StagedMigrationManager([try Self.stage(old, new)])
            let after = try await PersistentContainer.open(database.url, model: new, options: options)
            let notes = try await after.perform { context in
                try context.fetch("Note").map { note in
                    let tags = note.members(forKey: "tags").map { $0["name"] as? String ?? "" }.sorted()
                    return "\(note["title"] ?? "") \(tags)"
                }.sorted()
            }
            #expect(notes == ["ONE [\"a\", \"b\"]", "THREE []", "TWO [\"b\"]"])
            await after.close()
        }
    }

    @Test func theGuideHasThisExample() throws {
        let guide = try String(
            contentsOf: Repository.root.appending(path: "docs/mapping-models.md"), encoding: .utf8)
        let source = try String(contentsOfFile: #filePath, encoding: .utf8)
        let lines = source.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let begin = try #require(lines.firstIndex { $0.hasSuffix(" // snippet") })
        let end = try #require(lines.firstIndex { $0.hasSuffix(" // end") })
        let example = lines[(begin + 1)..<end].map { $0.dropFirst(4) }.joined(separator: "\n")
        #expect(guide.contains("```swift\n" + example + "\n```"))
    }
}
