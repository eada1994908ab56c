// expect: the body of perform is synchronous, because it uses a connection. End this perform before you await
import Howdah

func program(_ container: PersistentContainer) async throws {
    try await container.perform { context in
        Person(context: context).name = try await container.perform { _ in "" }
    }
}
