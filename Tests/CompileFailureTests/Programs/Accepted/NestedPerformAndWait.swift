// expect: nothing
import Howdah

func program(_ container: PersistentContainer, _ other: BackgroundContext) async throws {
    try await container.perform { context in
        let name = try other.performAndWait { try $0.fetch(Person.self)[0].name }
        Person(context: context).name = name
        try context.save()
    }
}
