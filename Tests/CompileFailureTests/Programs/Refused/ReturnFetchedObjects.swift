// expect: managed objects cannot leave their context. Return objectID or plain values instead
import Howdah

func program(_ container: PersistentContainer) async throws {
    let people = try await container.perform { context in try context.fetch(Person.self) }
    print(people.count)
}
