// expect: type '() -> String' does not conform to the 'Sendable' protocol
import Howdah

func program(_ container: PersistentContainer) async throws {
    let name = try await container.perform { context -> () -> String in
        let person = Person(context: context)
        return { person.name }
    }
    print(name())
}
