// expect: risks causing data races
import Howdah

func program(_ container: PersistentContainer) async throws {
    var kept: Person?
    try await container.perform { context in kept = try context.fetch(Person.self).first }
    print(kept?.name ?? "")
}
