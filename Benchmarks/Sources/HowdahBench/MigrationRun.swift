import Foundation
import Howdah

/// Opens a store of the first version of a small model with a later one, as a program does after a deploy.
enum MigrationRun {
    static func run(_ name: String, url: String) async throws {
        guard let model = try models[name]?() else { throw CocoaError(.featureUnsupported) }
        var options = StoreOptions()
        options.shouldMigrateStoreAutomatically = true
        if name == "M3" { options.stagedMigrationManager = try split() }
        let container = try await PersistentContainer.open(url, model: model, options: options)
        await container.close()
    }

    private static let models: [String: @Sendable () throws -> ManagedObjectModel] = [
        "first": { try model() },
        "M1": { try model(more: [.attribute("stock", .integer32, optional: false, default: .int(0))]) },
        "M2": {
            try model(name: .attribute("title", .string, optional: false, renamingIdentifier: "name"))
        },
        "M3": {
            try model(
                note: .relationship("detail", to: "Detail", inverse: "item", deleteRule: .cascade),
                entities: [
                    EntityDescription(
                        "Detail",
                        properties: [
                            .attribute("text", .string, optional: false),
                            .relationship("item", to: "Item", inverse: "detail", optional: false),
                        ])
                ])
        },
        "M4": {
            try model(
                category: .relationship(
                    "categories", to: "Category", inverse: "items", toMany: true,
                    renamingIdentifier: "category"),
                inverse: "categories")
        },
    ]

    /// The notes become objects, by a mapping model.
    private static func split() throws -> StagedMigrationManager {
        let (old, new) = (try models["first"]?(), try models["M3"]?())
        guard let old, let new else { throw CocoaError(.featureUnsupported) }
        let mapping = MappingModel(entityMappings: [
            EntityMapping(
                from: "Item", to: "Item",
                attributeMappings: [
                    PropertyMapping("name", .source("name")), PropertyMapping("price", .source("price")),
                ],
                relationshipMappings: [
                    PropertyMapping(
                        "category",
                        .destinationInstances(
                            forEntityMappingNamed: "CategoryToCategory", sourceInstances: .source("category"))
                    )
                ]),
            EntityMapping(
                from: "Item", to: "Detail", sourceFilter: .format("note != nil"),
                attributeMappings: [PropertyMapping("text", .source("note"))],
                relationshipMappings: [
                    PropertyMapping(
                        "item",
                        try MappingExpression(
                            format:
                                "FUNCTION($manager, 'destinationInstancesForEntityMappingNamed:sourceInstances:', 'ItemToItem', $source)"
                        ))
                ]),
            EntityMapping(
                from: "Category", to: "Category",
                attributeMappings: [PropertyMapping("name", .source("name"))]),
        ])
        return StagedMigrationManager([
            MappedMigrationStage(
                migratingFrom: ManagedObjectModelReference(old, versionChecksum: old.versionChecksum),
                to: ManagedObjectModelReference(new, versionChecksum: new.versionChecksum), mapping: mapping)
        ])
    }

    private static func model(
        name: PropertyDescription = .attribute("name", .string, optional: false),
        category: PropertyDescription = .relationship("category", to: "Category", inverse: "items"),
        inverse: String = "category", note: PropertyDescription = .attribute("note", .string),
        more: [PropertyDescription] = [], entities: [EntityDescription] = []
    ) throws -> ManagedObjectModel {
        try ManagedObjectModel(
            entities: [
                EntityDescription(
                    "Item",
                    properties: [
                        name, .attribute("price", .double, optional: false, default: .double(0)),
                        note, category,
                    ] + more),
                EntityDescription(
                    "Category",
                    properties: [
                        .attribute("name", .string, optional: false),
                        .relationship("items", to: "Item", inverse: inverse, toMany: true),
                    ]),
            ] + entities)
    }
}
