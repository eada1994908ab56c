// expect: the body of perform is synchronous, because it uses a connection. End this perform before you await
import Howdah

func lookUp() async -> String { "" }

func program(_ container: PersistentContainer) async throws {
    try await container.perform { context in
        Person(context: context).name = await lookUp()
        try context.save()
    }
}
