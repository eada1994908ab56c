// expect: risks causing data races
import Howdah

@MainActor func program(_ container: PersistentContainer) async throws {
    let person = try container.viewContext.fetch(Person.self)[0]
    try await container.perform { context in person.name = "changed elsewhere" }
}
