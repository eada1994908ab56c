import Howdah
import HowdahTesting

/// A store of notes without classes, so that no macro is compiled.
enum Notes {
    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription("Note", properties: [.attribute("text", .string, optional: false)])
        ])
    }

    /// Runs `body` with a store in a new database, and its address.
    static func withStore(
        notes: Int, _ body: (PersistentContainer, _ url: String) async throws -> Void
    ) async throws {
        let database = try EphemeralPostgres.shared().createDatabase()
        defer { try? database.drop() }
        let container = try await PersistentContainer.open(database.url, model: model())
        try await container.perform { context in
            for number in 0..<notes { context.insert("Note")["text"] = "Note \(number)" }
            try context.save()
        }
        do {
            try await body(container, database.url)
        } catch {
            await container.close()
            throw error
        }
        await container.close()
    }
}
