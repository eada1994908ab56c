// expect: managed objects cannot leave their context. Return objectID or plain values instead
import Howdah

func program(_ container: PersistentContainer) async throws {
    let (person, count) = try await container.perform { context in
        let people = try context.fetch(Person.self)
        return (people[0], people.count)
    }
    print(person.name, count)
}
