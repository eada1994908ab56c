package import Howdah

/// A small model with a change that leaves deferred work of every kind.
package enum Register {
    package static func old() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                "Person",
                properties: [
                    .attribute("name", .string), .attribute("nick", .string), .attribute("age", .integer32),
                    .attribute("height", .integer32),
                ]),
            EntityDescription("Gone", properties: [.attribute("text", .string)]),
        ])
    }

    package static func new() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                "Person",
                properties: [
                    .attribute("name", .string),
                    .attribute("age", .integer32, optional: false, default: 30),
                    .attribute("height", .integer32, minimum: 1),
                ], uniquenessConstraints: [["name"]],
                fetchIndexes: [FetchIndexDescription("byAge", on: "age")])
        ])
    }

    /// Opens a store with the new model, migrated with deferral, and finishes the migration.
    package static func migrate(_ url: String, _ options: StoreOptions = StoreOptions()) async throws {
        var options = options
        options.shouldMigrateStoreAutomatically = true
        options.shouldDeferLightweightMigration = true
        options.maximumConnections = 1
        options.confirmedDrops = ["Gone"]
        let container = try await PersistentContainer.open(url, model: new(), options: options)
        try await container.finishDeferredLightweightMigration()
        await container.close()
    }
}
