// expect: managed objects cannot leave their context. Return objectID or plain values instead
import Howdah

func program(_ container: PersistentContainer) async throws {
    let people = try await container.perform { context in [Person(context: context)] }
    print(people[0].name)
}
