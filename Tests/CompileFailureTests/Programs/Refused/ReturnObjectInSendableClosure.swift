// expect: capture of 'person' with non-Sendable type 'Person' in a '@Sendable' closure
import Howdah

func program(_ container: PersistentContainer) async throws {
    let name = try await container.perform { context -> @Sendable () -> String in
        let person = Person(context: context)
        return { person.name }
    }
    print(name())
}
