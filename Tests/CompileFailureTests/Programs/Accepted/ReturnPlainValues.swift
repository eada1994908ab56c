// expect: nothing
import Howdah

struct Card: Sendable {
    let name: String
    let id: ObjectID<Person>
}

func program(_ container: PersistentContainer, _ handle: BackgroundContext) async throws {
    let names: [String] = try await container.perform { try $0.fetch(Person.self).map(\.name) }
    let ids: [ObjectID<Person>] = try await handle.perform { try $0.fetch(Person.self).map(\.objectID) }
    let cards = try await container.perform { context in
        try context.fetch(Person.self).map { Card(name: $0.name, id: $0.objectID) }
    }
    let count = try handle.performAndWait { try $0.count(Person.self) }
    print(names, ids, cards, count)
}
