import Foundation
import Howdah

/// Opens a store of the first version of a small model with a later one, as a program does after a deploy.
enum MigrationRun {
    static func run(_ name: String, url: String) async throws {
        guard let model = try models[name]?() else { throw CocoaError(.featureUnsupported) }
        var options = StoreOptions()
        options.shouldMigrateStoreAutomatically = true
        let container = try await PersistentContainer.open(url, model: model, options: options)
        await container.close()
    }

    private static let models: [String: @Sendable () throws -> ManagedObjectModel] = [
        "first": { try model() },
        "M1": { try model(more: [.attribute("stock", .integer32, optional: false, default: .int(0))]) },
        "M2": {
            try model(name: .attribute("title", .string, optional: false, renamingIdentifier: "name"))
        },
        "M4": {
            try model(
                category: .relationship(
                    "categories", to: "Category", inverse: "items", toMany: true,
                    renamingIdentifier: "category"),
                inverse: "categories")
        },
    ]

    private static func model(
        name: PropertyDescription = .attribute("name", .string, optional: false),
        category: PropertyDescription = .relationship("category", to: "Category", inverse: "items"),
        inverse: String = "category", more: [PropertyDescription] = []
    ) throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                "Item",
                properties: [
                    name, .attribute("price", .double, optional: false, default: .double(0)),
                    .attribute("note", .string), category,
                ] + more),
            EntityDescription(
                "Category",
                properties: [
                    .attribute("name", .string, optional: false),
                    .relationship("items", to: "Item", inverse: inverse, toMany: true),
                ]),
        ])
    }
}
