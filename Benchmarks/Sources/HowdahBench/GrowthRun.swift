import Foundation
import Howdah

/// Inserts, fetches, updates and deletes n objects, each in one unit of work.
struct GrowthRun: Encodable {
    private var insert = 0.0
    private var fetch = 0.0
    private var update = 0.0
    private var delete = 0.0
    private var isRight = false

    init(_ container: PersistentContainer, _ n: Int) async throws {
        insert = try await Self.time {
            try await container.perform { context in
                for i in 0..<n {
                    let employee = Employee(context: context)
                    employee.firstName = "First\(i)"
                    employee.lastName = "Last\(i % 500)"
                    employee.email = "first\(i)@example.com"
                    employee.salary = Double(i)
                    employee.rating = 1
                    employee.hiredAt = Date(timeIntervalSince1970: Double(i))
                    employee.visits = i
                    employee.level = 1
                    employee.active = true
                }
                try context.save()
            }
        }
        var sum = 0
        fetch = try await Self.time {
            sum = try await container.perform { context in
                try context.fetch(Employee.self).reduce(0) { $0 + $1.visits + $1.email.utf8.count }
            }
        }
        update = try await Self.time {
            try await container.perform { context in
                for employee in try context.fetch(Employee.self) { employee.visits += 1 }
                try context.save()
            }
        }
        let moved = try await container.perform { context in
            try context.fetch(Employee.self).reduce(0) { $0 + $1.visits + $1.email.utf8.count }
        }
        delete = try await Self.time {
            try await container.perform { context in
                for employee in try context.fetch(Employee.self) { context.delete(employee) }
                try context.save()
            }
        }
        let left = try await container.perform { try $0.count(Employee.self) }
        isRight = moved - sum == n && left == 0
    }

    private static func time(_ body: () async throws -> Void) async rethrows -> Double {
        let start = ContinuousClock.now
        try await body()
        return (ContinuousClock.now - start) / .seconds(1)
    }
}
