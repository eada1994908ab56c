// expect: the body is synchronous and uses a connection. Reserve in one perform, await outside of it
import Howdah

func lookUp() async throws -> String { "" }

func program(_ container: PersistentContainer) async throws -> String {
    let handle = container.newBackgroundContext()
    try await handle.perform { context in
        Person(context: context).name = try await lookUp()
        try context.save()
    }
    return try await container.perform(isolation: .serializable, retrying: .conflicts(upTo: 3)) { _ in
        try await lookUp()
    }
}
