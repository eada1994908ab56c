import Howdah
import HowdahTesting
import TestSupport
import Testing

/// What a mapping makes keeps to the counts of to-many relationships.
@Suite(.needsSession) struct MappedCountTests {
    /// Shelves with boxes, one to many or many to many.
    private static func model(
        isManyToMany: Bool, minimum: Int = 0, maximum: Int = 0
    ) throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                "Shelf",
                properties: [
                    .attribute("label", .string),
                    .relationship(
                        "boxes", to: "Box", inverse: "shelves", toMany: true, minCount: minimum,
                        maxCount: maximum),
                ]),
            EntityDescription(
                "Box",
                properties: [
                    .relationship("shelves", to: "Shelf", inverse: "boxes", toMany: isManyToMany)
                ]),
        ])
    }

    private static let mapping = MappingModel(entityMappings: [
        EntityMapping(
            from: "Shelf", to: "Shelf", attributeMappings: [PropertyMapping("label", .source("label"))],
            relationshipMappings: [
                PropertyMapping(
                    "boxes",
                    .destinationInstances(
                        forEntityMappingNamed: "BoxToBox", sourceInstances: .source("boxes")))
            ]), EntityMapping(from: "Box", to: "Box"),
    ])

    private struct Bounds: Sendable, CustomTestStringConvertible {
        let isManyToMany: Bool
        let minimum: Int
        let maximum: Int
        /// As the message has it.
        let text: String

        var testDescription: String { "\(text), \(isManyToMany ? "many to many" : "one to many")" }
    }

    private static let bounds = [false, true].flatMap { isManyToMany in
        [(1, 2, "1 to 2 members"), (2, 0, "at least 2 members"), (0, 3, "at most 3 members"), (0, 9, "")].map
        {
            Bounds(isManyToMany: isManyToMany, minimum: $0.0, maximum: $0.1, text: $0.2)
        }
    }

    @Test(arguments: bounds) private func countsOutsideOfTheBoundsAreRefused(_ bounds: Bounds) async throws {
        let old = try Self.model(isManyToMany: bounds.isManyToMany)
        let new = try Self.model(
            isManyToMany: bounds.isManyToMany, minimum: bounds.minimum, maximum: bounds.maximum)
        try await withTestDatabase(for: old) { database in
            let before = try await PersistentContainer.open(database.url, model: old)
            let wrong = try await before.perform { context in
                var wrong: [ManagedObject] = []
                for count in [0, 2, 4, 1, 3] {
                    let shelf = context.insert("Shelf")
                    for _ in 0..<count { shelf.members(forKey: "boxes").insert(context.insert("Box")) }
                    let isTooFull = bounds.maximum > 0 && count > bounds.maximum
                    if count < bounds.minimum || isTooFull { wrong.append(shelf) }
                }
                try context.save()
                return wrong.map(\.objectID.key).sorted()
            }
            await before.close()
            var options = StoreOptions()
            options.stagedMigrationManager = StagedMigrationManager([
                MappedMigrationStage(
                    migratingFrom: ManagedObjectModelReference(old, versionChecksum: old.versionChecksum),
                    to: ManagedObjectModelReference(new, versionChecksum: new.versionChecksum),
                    mapping: Self.mapping)
            ])
            if wrong.isEmpty {
                try await PersistentContainer.open(database.url, model: new, options: options).close()
                return
            }
            let error = await #expect(throws: StoreError.self) {
                try await PersistentContainer.open(database.url, model: new, options: options).close()
            }
            let examples = wrong.map { "Shelf \($0)" }.joined(separator: ", ")
            let message = error?.message ?? ""
            #expect(
                message.contains("Shelf.boxes must have \(bounds.text): \(wrong.count) object"), "\(message)"
            )
            #expect(message.contains("(\(examples))"), "\(examples): \(message)")
            try await PersistentContainer.open(database.url, model: old).close()
        }
    }
}
