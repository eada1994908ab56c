// expect: main actor-isolated property 'title' can not be mutated from a nonisolated context
import Howdah

@MainActor final class ViewModel {
    var title = ""

    func load(_ container: PersistentContainer) async throws {
        try await container.perform { context in self.title = try context.fetch(Person.self)[0].name }
    }
}
