// expect: risks causing data races
import Howdah

func program(_ container: PersistentContainer) async throws {
    let (stream, continuation) = AsyncStream<Person>.makeStream()
    try await container.perform { context in
        for person in try context.fetch(Person.self) { continuation.yield(person) }
    }
    for await person in stream { print(person.name) }
}
