// expect: main actor-isolated var 'kept' can not be mutated from a nonisolated context
import Howdah

@MainActor var kept: Person?

func program(_ container: PersistentContainer) async throws {
    try await container.perform { context in kept = try context.fetch(Person.self).first }
}
