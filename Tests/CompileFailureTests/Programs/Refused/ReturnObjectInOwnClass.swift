// expect: type 'Box' does not conform to the 'Sendable' protocol
import Howdah

final class Box {
    let person: Person
    init(_ person: Person) { self.person = person }
}

func program(_ container: PersistentContainer) async throws {
    let box = try await container.perform { context in Box(Person(context: context)) }
    print(box.person.name)
}
