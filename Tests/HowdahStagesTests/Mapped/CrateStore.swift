import Howdah
import HowdahTesting
import TestSupport
import Testing

/// A store of boxes on shelves and lamps, which a mapping leads to crates.
struct CrateStore {
    /// How relationships are set.
    enum Way: CaseIterable {
        case statements
        case oneByOne
    }

    private final class Plain: EntityMigrationPolicy {}

    /// Whether a crate must have a shelf.
    var needsShelf = false

    static var old: ManagedObjectModel {
        get throws {
            try ManagedObjectModel(entities: [
                EntityDescription("Thing", abstract: true, properties: [.attribute("name", .string)]),
                EntityDescription(
                    "Box", superentity: "Thing",
                    properties: [
                        .attribute("size", .integer32, default: 3),
                        .relationship("shelf", to: "Shelf", inverse: "boxes"),
                    ]),
                EntityDescription(
                    "Shelf",
                    properties: [
                        .attribute("label", .string),
                        .relationship("boxes", to: "Box", inverse: "shelf", toMany: true),
                    ]), EntityDescription("Lamp", properties: [.attribute("watts", .integer32)]),
            ])
        }
    }

    var new: ManagedObjectModel {
        get throws {
            try ManagedObjectModel(entities: [
                EntityDescription("Thing", abstract: true, properties: [.attribute("name", .string)]),
                EntityDescription(
                    "Crate", superentity: "Thing",
                    properties: [
                        .attribute("size", .integer32, default: 7),
                        .attribute("note", .string, default: "new"),
                        .relationship("shelf", to: "Shelf", inverse: "crates", optional: !needsShelf),
                    ]),
                EntityDescription(
                    "Shelf",
                    properties: [
                        .attribute("label", .string),
                        .relationship("crates", to: "Crate", inverse: "shelf", toMany: true),
                    ]), EntityDescription("Lamp", properties: [.attribute("watts", .integer32)]),
                EntityDescription("Room", properties: [.attribute("name", .string)]),
            ])
        }
    }

    func stage(_ mappings: [EntityMapping], _ way: Way = .statements) throws -> MappedMigrationStage {
        let (old, new) = (try Self.old, try new)
        var mappings = mappings
        if way == .oneByOne {
            for place in mappings.indices where mappings[place].mappingType != .remove {
                guard mappings[place].sourceEntityName != nil else { continue }
                mappings[place].entityMigrationPolicyClassName = "Plain"
                mappings[place].mappingType = .custom
            }
        }
        var stage = MappedMigrationStage(
            migratingFrom: ManagedObjectModelReference(old, versionChecksum: old.versionChecksum),
            to: ManagedObjectModelReference(new, versionChecksum: new.versionChecksum),
            mapping: MappingModel(entityMappings: mappings), policies: ["Plain": Plain.self])
        stage.confirmedDrops = Set(
            old.entities.flatMap { entity in entity.properties.map { "\(entity.name).\($0.name)" } })
        return stage
    }

    /// Two shelves, three boxes, of which the last one is on no shelf, and a lamp; then what `query` gives after the migration.
    func rows(
        _ mappings: [EntityMapping], _ way: Way = .statements, _ query: String
    ) async throws -> [[String?]] {
        let old = try Self.old
        return try await withTestDatabase(for: old) { database in
            let before = try await PersistentContainer.open(database.url, model: old)
            try await before.perform { context in
                let shelves = ["high", "low"].map { label in
                    let shelf = context.insert("Shelf")
                    shelf["label"] = label
                    return shelf
                }
                for number in 0..<3 {
                    let box = context.insert("Box")
                    (box["name"], box["size"]) = ("box \(number)", Int32(number))
                    if number < 2 { box["shelf"] = shelves[number] }
                }
                context.insert("Lamp")["watts"] = Int32(40)
                try context.save()
            }
            await before.close()
            var options = StoreOptions()
            options.stagedMigrationManager = StagedMigrationManager([try stage(mappings, way)])
            try await PersistentContainer.open(database.url, model: new, options: options).close()
            return try PlainSQL(url: database.url).rows(query)
        }
    }
}
