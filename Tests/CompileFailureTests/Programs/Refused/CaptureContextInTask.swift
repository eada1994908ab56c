// expect: risks causing data races
import Howdah

func program(_ container: PersistentContainer) async throws {
    try await container.perform { context in
        Task { try context.save() }
    }
}
