// expect: risks causing data races
import Howdah

func program(_ container: PersistentContainer) async throws {
    try await container.perform { context in
        let person = try context.fetch(Person.self)[0]
        Task.detached { person.name = "elsewhere" }
    }
}
