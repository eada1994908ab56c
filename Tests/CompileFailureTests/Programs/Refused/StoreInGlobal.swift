// expect: var 'kept' is not concurrency-safe because it is nonisolated global shared mutable state
import Howdah

var kept: Person?

func program(_ container: PersistentContainer) async throws {
    try await container.perform { context in kept = try context.fetch(Person.self).first }
}
