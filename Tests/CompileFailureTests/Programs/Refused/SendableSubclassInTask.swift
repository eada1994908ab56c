// expect: risks causing data races
import Howdah

// The mistake that this program is refused for: nothing makes `@unchecked Sendable` sound here.
final class Employee: ManagedObject, @unchecked Sendable {}

func program(_ container: PersistentContainer) async throws {
    try await container.perform { context in
        let employee = Employee(context: context)
        Task { print(employee.entityName) }
    }
}
