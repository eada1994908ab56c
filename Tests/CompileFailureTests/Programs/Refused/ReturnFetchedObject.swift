// expect: managed objects cannot leave their context. Return objectID or plain values instead
import Howdah

func program(_ container: PersistentContainer) async throws {
    let person = try await container.perform { context in try context.fetch(Person.self)[0] }
    print(person.name)
}
