// expect: the body is synchronous and uses a connection. Reserve in one perform, await outside of it
import Howdah

func lookUp() async -> String { "" }

func program(_ container: PersistentContainer) async throws {
    try await container.perform { context in
        Person(context: context).name = await lookUp()
        try context.save()
    }
}
