// expect: risks causing data races
import Howdah

final class Employee: ManagedObject, @unchecked Sendable {}

func program(_ container: PersistentContainer) async throws {
    try await container.perform { context in
        let employee = Employee(context: context)
        Task { print(employee.entityName) }
    }
}
