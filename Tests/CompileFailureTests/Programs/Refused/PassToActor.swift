// expect: risks causing data races
import Howdah

actor Keeper {
    var people: [Person] = []
    func keep(_ person: Person) { people.append(person) }
}

func program(_ container: PersistentContainer, _ keeper: Keeper) async throws {
    try await container.perform { context in
        let person = try context.fetch(Person.self)[0]
        Task { await keeper.keep(person) }
    }
}
