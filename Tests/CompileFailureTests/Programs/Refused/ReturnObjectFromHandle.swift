// expect: managed objects are confined to their context; return objectID or plain values instead
import Howdah

func program(_ handle: BackgroundContext) async throws {
    let person = try await handle.perform { context in Person(context: context) }
    print(person.name)
}
