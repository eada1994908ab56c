import HowdahMigration
import HowdahModel
import HowdahRuntime
import HowdahStages
import HowdahTesting
import PQClient
import TestSupport

/// A register of people, before and after a change that has something of every kind of step.
enum Register {
    static func old() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            entity(
                "Person",
                [
                    .attribute("name", .string), .attribute("nick", .string, optional: false, default: ""),
                    .attribute("age", .integer32), .attribute("height", .integer32),
                    .relationship("club", to: "Club", inverse: "members"),
                ]),
            entity(
                "Club",
                [
                    .attribute("name", .string),
                    .relationship("members", to: "Person", inverse: "club", toMany: true),
                ]),
            entity("Gone", [.attribute("text", .string)]),
        ])
    }

    static func new() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            entity(
                "Person",
                [
                    .attribute("title", .string, renamingIdentifier: "name"),
                    .attribute("age", .integer32, optional: false, default: 30),
                    .attribute("height", .integer32, minimum: 1),
                    .relationship("club", to: "Club", inverse: "members"),
                ], unique: [["title"]],
                indexes: [FetchIndexDescription("byAge", elements: [.init("age")])]),
            entity(
                "Club",
                [
                    .attribute("name", .string),
                    .relationship(
                        "members", to: "Person", inverse: "club", toMany: true, deleteRule: .cascade),
                ]),
        ])
    }

    /// Runs `body` with a store of the old model: people 1 to `count`, of whom those at the end are without an age.
    static func with(
        count: Int = 20, twins: Bool = false,
        _ body: (TemporaryDatabase, Connection) async throws -> Void
    ) async throws {
        let model = try old()
        try await withTemporaryDatabase(for: model) { database in
            let container = try await PersistentContainer.open(database.url, model: model)
            try await container.perform { context in
                context.insert("Gone")["text"] = "x"
                let club = context.insert("Club")
                for number in 1...count {
                    let person = context.insert("Person")
                    person["name"] = twins && number < 3 ? "twin" : "\(number)"
                    person["height"] = 150
                    person["club"] = club
                    if number <= 5 { person["age"] = 50 }
                }
                try context.save()
            }
            await container.close()
            let connection = try Connection(ConnectionConfiguration(database.url))
            defer { connection.close() }
            try await body(database, connection)
        }
    }

    static func runner(_ connection: Connection) throws -> StoreMigration {
        var options = MigrationOptions()
        options.shouldDeferLightweightMigration = true
        options.confirmedDrops = ["Gone", "Person.nick"]
        return StoreMigration(connection, to: try new(), options: options)
    }

    /// What is not as in a fresh store of the new model.
    static func differences(_ database: TemporaryDatabase) async throws -> [String] {
        try MigrationTrial.catalogue(database).differences(
            from: await MigrationTrial.freshCatalogue(of: new()))
    }
}
