import Foundation
import Howdah
import HowdahTesting
import PQClient
import Testing

/// Columns that are not what the model says, and JSON, whose wire form is not what attributes hold.
@Suite struct AlteredTableTests {
    @Test func aColumnOfAnotherTypeIsAnErrorThatNamesIt() async throws {
        try await withTemporaryDatabase(for: Company.model()) { database in
            let container = try await PersistentContainer.open(database.url, model: Company.model())
            try await container.perform { context in
                Department(context: context).name = "Research"
                let room = Room(context: context)
                room.number = 7
                room.department = try #require(context.insertedObjects.first as? Department)
                try context.save()
            }
            let connection = try Connection(ConnectionConfiguration(database.url))
            _ = try connection.query("ALTER TABLE room ALTER COLUMN number TYPE bigint")
            connection.close()
            let error = await #expect(throws: FetchError.self) {
                try await container.perform { context in _ = try context.fetch(Room.self) }
            }
            #expect(error?.code == .schemaMismatch)
            #expect(error?.message.contains("\"number\"") == true)
            let department = try await container.perform { context in
                try context.fetch(Department.self).map(\.name)
            }
            #expect(department == ["Research"])
            await container.close()
        }
    }

    @Test func jsonIsReadAsTheBytesOfItsText() async throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                "Setting",
                properties: [
                    .attribute("payload", .transformable, userInfo: [MappingKey.jsonb: "true"])
                ])
        ])
        try await withTemporaryStore(model) { container in
            let id = try await container.perform { context in
                let setting = context.insert("Setting")
                setting["payload"] = Data(#"{"a": [1, 2]}"#.utf8)
                try context.save()
                return setting.objectID
            }
            let payload = try await container.perform { context in
                try context.existingObject(with: id)["payload"] as? Data
            }
            #expect(payload == Data(#"{"a": [1, 2]}"#.utf8))
            await #expect(throws: SaveError.self) {
                try await container.perform { context in
                    context.insert("Setting")["payload"] = Data("no JSON".utf8)
                    try context.save()
                }
            }
        }
    }
}
