// expect: parameter '$0' cannot be task-isolated at end of function
import Howdah
import Synchronization

let kept = Mutex<Person?>(nil)

func program(_ container: PersistentContainer) async throws {
    try await container.perform { context in
        let person = try context.fetch(Person.self)[0]
        kept.withLock { $0 = person }
    }
}
