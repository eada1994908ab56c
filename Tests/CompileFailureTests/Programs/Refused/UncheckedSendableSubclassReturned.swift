// expect: managed objects cannot leave their context. Return objectID or plain values instead
import Howdah

// The mistake that this program is refused for: nothing makes `@unchecked Sendable` sound here.
final class Employee: ManagedObject, @unchecked Sendable {}

func program(_ container: PersistentContainer) async throws {
    let employee = try await container.perform { context in Employee(context: context) }
    print(employee.entityName)
}
