// expect: managed objects cannot leave their context. Return objectID or plain values instead
import Howdah

func program(_ handle: BackgroundContext) async throws {
    let person = try await handle.perform { context in Person(context: context) }
    print(person.name)
}
