// expect: stored property 'person' of 'Sendable'-conforming struct 'Answer' has non-Sendable type 'Person'
import Howdah

struct Answer: Sendable {
    let person: Person
}

func program(_ container: PersistentContainer) async throws {
    let answer = try await container.perform { context in Answer(person: Person(context: context)) }
    print(answer.person.name)
}
