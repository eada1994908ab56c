// expect: capture of 'person' with non-Sendable type 'Person'
import Howdah

@MainActor func program(_ container: PersistentContainer, _ handle: BackgroundContext) throws {
    let person = try container.viewContext.fetch(Person.self)[0]
    try handle.performAndWait { context in
        for other in try context.fetch(Person.self) { other.manager = person }
    }
}
