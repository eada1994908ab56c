// expect: managed objects cannot leave their context. Return objectID or plain values instead
import Howdah

func share(_ value: some Sendable) {}

func program(_ container: PersistentContainer) async throws {
    try await container.perform { context in share(Person(context: context)) }
}
