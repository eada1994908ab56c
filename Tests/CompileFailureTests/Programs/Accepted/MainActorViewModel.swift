// expect: nothing
import Howdah

@MainActor final class ViewModel {
    private var people: [Person] = []
    private var chosen: Person?
    private let container: PersistentContainer

    init(_ container: PersistentContainer) { self.container = container }

    func load() throws {
        people = try container.viewContext.fetch(Person.self)
        chosen = people.first
    }

    func rename(_ name: String) throws {
        chosen?.name = name
        chosen?.manager = people.last
        try container.viewContext.save()
    }

    func refreshInBackground() async throws -> Int {
        let ids = people.map(\.objectID)
        return try await container.perform { context in
            try ids.map { try context.existingObject(with: $0).name.count }.reduce(0, +)
        }
    }
}
