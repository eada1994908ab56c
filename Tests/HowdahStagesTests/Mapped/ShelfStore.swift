import Howdah
import HowdahTesting
import TestSupport
import Testing

/// A store of shelves with boxes, which a mapping leads to a version whose shelves have computed attributes.
struct ShelfStore {
    /// What a shelf gets, as `v0`, `v1`, ….
    struct Computed: Sendable {
        let format: String
        let type: AttributeType

        init(_ format: String, _ type: AttributeType) {
            self.format = format
            self.type = type
        }
    }

    /// How the objects are made.
    enum Way: CaseIterable {
        case statements
        case oneByOne
    }

    private final class Plain: EntityMigrationPolicy {}

    let computed: [Computed]
    var makesBoxesFirst = false

    private static let values: [PropertyDescription] = [
        .attribute("label", .string), .attribute("w", .integer64), .attribute("s", .integer16),
        .attribute("d", .double), .attribute("f", .float), .attribute("m", .decimal),
        .attribute("b", .boolean), .attribute("t", .date), .attribute("u", .uuid),
        .attribute("a", .array(of: .integer64)),
    ]

    private static let links: [PropertyDescription] = [
        .relationship("boxes", to: "Box", inverse: "shelf", toMany: true, ordered: true)
    ]

    private static func model(_ shelf: [PropertyDescription]) throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription("Shelf", properties: shelf + links),
            EntityDescription(
                "Box",
                properties: values + [.relationship("shelf", to: "Shelf", inverse: "boxes")]),
        ])
    }

    static var old: ManagedObjectModel { get throws { try model(values) } }

    var new: ManagedObjectModel {
        get throws {
            try Self.model(computed.enumerated().map { .attribute("v\($0)", $1.type) })
        }
    }

    func stage(_ way: Way) throws -> MappedMigrationStage {
        let (old, new) = (try Self.old, try new)
        var stage = MappedMigrationStage(
            migratingFrom: ManagedObjectModelReference(old, versionChecksum: old.versionChecksum),
            to: ManagedObjectModelReference(new, versionChecksum: new.versionChecksum),
            mapping: MappingModel(
                entityMappings: makesBoxesFirst ? [boxes, try shelves(way)] : [try shelves(way), boxes]),
            policies: ["Plain": Plain.self])
        // What is computed is looked at, and nothing else.
        stage.confirmedDrops = Set(
            old.entities.flatMap { entity in entity.properties.map { "\(entity.name).\($0.name)" } })
        return stage
    }

    private var boxes: EntityMapping { EntityMapping(from: "Box", to: "Box") }

    private func shelves(_ way: Way) throws -> EntityMapping {
        EntityMapping(
            from: "Shelf", to: "Shelf",
            attributeMappings: try computed.enumerated().map {
                PropertyMapping("v\($0)", try MappingExpression(format: $1.format))
            }, entityMigrationPolicyClassName: way == .oneByOne ? "Plain" : nil)
    }

    /// The shelves after the migration, as texts, their keys first.
    ///
    /// - Parameter fill: makes the objects of the old version.
    func shelves(
        _ way: Way, _ fill: @escaping @Sendable (ManagedObjectContext) throws -> Void
    ) async throws -> [[String?]] {
        let old = try Self.old
        return try await withTestDatabase(for: old) { database in
            let before = try await PersistentContainer.open(database.url, model: old)
            try await before.perform { context in
                try fill(context)
                try context.save()
            }
            await before.close()
            var options = StoreOptions()
            options.stagedMigrationManager = StagedMigrationManager([try stage(way)])
            try await PersistentContainer.open(database.url, model: new, options: options).close()
            // Zeros behind the point are the same number.
            let columns =
                ["_id::text"]
                + computed.enumerated().map {
                    $1.type == .decimal ? "trim_scale(v\($0))::text" : "v\($0)::text"
                }
            return try PlainSQL(url: database.url).rows(
                "SELECT \(columns.joined(separator: ", ")) FROM shelf AS s ORDER BY s._id")
        }
    }
}
