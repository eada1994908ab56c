// expect: the body of perform is synchronous, because it uses a connection. End this perform before you await
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
