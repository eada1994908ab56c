// expect: stored property 'person' of 'Sendable'-conforming class 'NotAllowed' has non-Sendable type 'Person'
import Howdah

final class NotAllowed: Sendable {
    let person: Person
    init(_ person: Person) { self.person = person }
}

func program(_ container: PersistentContainer) async throws {
    let refusal = try await container.perform { context in NotAllowed(Person(context: context)) }
    print(refusal.person.name)
}
