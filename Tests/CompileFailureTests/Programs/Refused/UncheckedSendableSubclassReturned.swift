// expect: managed objects are confined to their context; return objectID or plain values instead
import Howdah

// The mistake that this program is refused for: nothing makes `@unchecked Sendable` sound here.
final class Employee: ManagedObject, @unchecked Sendable {}

func program(_ container: PersistentContainer) async throws {
    let employee = try await container.perform { context in Employee(context: context) }
    print(employee.entityName)
}
