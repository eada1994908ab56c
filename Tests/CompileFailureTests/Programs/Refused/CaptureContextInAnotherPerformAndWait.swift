// expect: capture of 'context' with non-Sendable type 'ManagedObjectContext'
import Howdah

func program(_ container: PersistentContainer, _ other: BackgroundContext) async throws {
    try await container.perform { context in
        try other.performAndWait { _ in try context.save() }
    }
}
