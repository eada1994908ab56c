// expect: passing closure as a 'sending' parameter risks causing data races
import Howdah

func program(_ container: PersistentContainer, _ other: BackgroundContext) async throws {
    try await container.perform { context in
        let person = try context.fetch(Person.self)[0]
        Task { try await other.perform { _ in person.name = "taken along" } }
    }
}
