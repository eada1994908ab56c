// expect: the body is synchronous and holds a connection: reserve in one perform, await outside of it
import Howdah

func lookUp() async -> String { "" }

func program(_ container: PersistentContainer) async throws {
    try await container.perform { context in
        Person(context: context).name = await lookUp()
        try context.save()
    }
}
