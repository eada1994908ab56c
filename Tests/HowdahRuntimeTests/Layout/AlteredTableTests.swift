import Foundation
import Howdah
import HowdahTesting
import PQClient
import TestSupport
import Testing

/// Columns that are not what the model says, and JSON, whose wire form is not what attributes hold.
@Suite struct AlteredTableTests {
    @Test func aColumnOfAnotherTypeIsAnErrorThatNamesIt() async throws {
        try await withTestDatabase(for: Company.model()) { database in
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
            #expect(error?.message.contains("\"number\" in the table of Room") == true)
            let department = try await container.perform { context in
                try context.fetch(Department.self).map(\.name)
            }
            #expect(department == ["Research"])
            await container.close()
        }
    }

    /// What is gone is told in the model's words, wherever it is missed.
    @Test func goneColumnsAndTablesAreNamed() async throws {
        try await withStore(Company.model()) { container, sql in
            try await container.perform { context in
                Employee(context: context).firstName = "Ada"
                try context.save()
            }
            try sql.rows("ALTER TABLE employee RENAME COLUMN visits TO calls")
            for isCounted in [false, true] {
                let error = await #expect(throws: FetchError.self) {
                    try await container.perform { context in
                        var request = FetchRequest<Employee>()
                        request.predicate = .format("visits > 3")
                        if isCounted {
                            _ = try context.count(for: request)
                        } else {
                            _ = try context.fetch(request)
                        }
                    }
                }
                #expect(error?.code == .schemaMismatch && error?.databaseError?.sqlState == "42703")
                let message = error?.message ?? ""
                #expect(message.contains("column visits of the table employee"), "\(message)")
                #expect(message.contains("which stores Employee.visits, no longer exists"), "\(message)")
                #expect(message.contains("Undo that change"), "\(message)")
            }
            try await container.perform { context in
                let employee = Employee(context: context)
                employee.firstName = "Grace"
                let error = try #require(saveError { try context.save() })
                #expect(
                    error.code == .schemaMismatch && error.message.contains("Employee.visits"), "\(error)")
                // What failed is still there to be saved.
                try sql.rows("ALTER TABLE employee RENAME COLUMN calls TO visits")
                try context.save()
            }
            try sql.rows("ALTER TABLE room RENAME TO chamber")
            let error = await #expect(throws: FetchError.self) {
                try await container.perform { context in _ = try context.fetch(Room.self) }
            }
            #expect(error?.code == .schemaMismatch)
            #expect(
                error?.message.contains("table room of Room no longer exists") == true,
                "\(error?.message ?? "")")
        }
    }

    @Test func savesIntoAColumnOfAnotherTypeNameIt() async throws {
        try await withStore(Company.model()) { container, sql in
            try sql.rows(
                "ALTER TABLE employee ALTER COLUMN visits DROP DEFAULT, ALTER COLUMN visits TYPE boolean USING visits > 0"
            )
            try await container.perform { context in
                for name in ["Ada", "Grace"] {
                    let employee = Employee(context: context)
                    (employee.firstName, employee.visits) = (name, 3)
                }
                let error = try #require(saveError { try context.save() })
                #expect(error.code == .schemaMismatch, "\(error)")
                #expect(error.message.contains("Employee.visits, has another type"), "\(error)")
            }
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
        try await withTestStore(model) { container in
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
