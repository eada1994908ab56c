// expect: nothing
import Howdah

func program(_ container: PersistentContainer) async throws -> Int {
    try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<4 { group.addTask { try await container.perform { try $0.count(Person.self) } } }
        return try await group.reduce(0, +)
    }
}
