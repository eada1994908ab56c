// expect: managed objects cannot leave their context. Return objectID or plain values instead
import Howdah

final class Employee: ManagedObject, Sendable {
    private var count = 0
}

func program(_ container: PersistentContainer) async throws {
    let employee = try await container.perform { context in Employee(context: context) }
    print(employee.entityName)
}
