// expect: nothing
import Howdah

actor Service {
    private let container: PersistentContainer
    private var names: [String] = []

    init(_ container: PersistentContainer) { self.container = container }

    func load() async throws {
        names = try await container.perform { try $0.fetch(Person.self).map(\.name) }
    }
}

@MainActor func program(_ container: PersistentContainer) async throws -> Int {
    try await container.perform(isolation: .serializable, retrying: .conflicts(upTo: 5), timeout: .seconds(5))
    {
        try $0.count(Person.self)
    }
}
