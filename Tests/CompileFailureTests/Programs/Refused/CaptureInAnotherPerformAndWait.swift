// expect: capture of 'person' with non-Sendable type 'Person'
import Howdah

func program(_ container: PersistentContainer, _ other: BackgroundContext) async throws {
    try await container.perform { context in
        let person = try context.fetch(Person.self)[0]
        try other.performAndWait { _ in person.name = "taken along" }
    }
}
