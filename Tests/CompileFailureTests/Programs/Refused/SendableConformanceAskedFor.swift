// expect: managed objects are confined to their context; return objectID or plain values instead
import Howdah

func share(_ value: some Sendable) {}

func program(_ container: PersistentContainer) async throws {
    try await container.perform { context in share(Person(context: context)) }
}
