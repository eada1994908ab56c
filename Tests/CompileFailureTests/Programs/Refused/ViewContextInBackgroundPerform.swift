// expect: main actor-isolated property 'viewContext' can not be referenced from a nonisolated context
import Howdah

@MainActor func program(_ container: PersistentContainer) async throws {
    try await container.perform { _ in try container.viewContext.save() }
}
