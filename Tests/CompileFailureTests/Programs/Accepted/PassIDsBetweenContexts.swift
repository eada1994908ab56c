// expect: nothing
import Howdah

func program(_ container: PersistentContainer) async throws {
    let id = try await container.perform { context in
        let person = Person(context: context)
        try context.save()
        return person.objectID
    }
    try await container.newBackgroundContext().perform { context in
        try context.existingObject(with: id).name = "found by its id"
        try context.save()
    }
}
