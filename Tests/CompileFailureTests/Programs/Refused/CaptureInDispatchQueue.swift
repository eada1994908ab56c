// expect: capture of 'person' with non-Sendable type 'Person' in a '@Sendable' closure
import Dispatch
import Howdah

func program(_ container: PersistentContainer) async throws {
    try await container.perform { context in
        let person = try context.fetch(Person.self)[0]
        DispatchQueue.global().async { print(person.name) }
    }
}
