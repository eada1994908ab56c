import Foundation
import Howdah

/// The workloads with objects that have no class of their own, by name.
struct DynamicWorkload: Workload {
    func run(_ name: String, _ container: PersistentContainer, _ n: Int) async throws -> Outcome? {
        switch name {
        case "W1": try await insert(container, n)
        case "W2": try await fetch(container)
        case "W3": try await lookUp(container, n)
        case "W4": try await query(container, n)
        case "W5": try await update(container, n)
        case "W6": try await traverse(container, prefetched: true)
        case "W6lazy": try await traverse(container, prefetched: false)
        case "W7": try await delete(container, n)
        case "W7b": try await deleteByPredicate(container, n)
        case "W8": try await contend(container, n)
        case "W8own":
            try await withTaskExecutorPreference(container.taskExecutor) { try await contend(container, n) }
        case "W10": try await exportLines(container)
        case "W11": try await importLines(container, n)
        case "W12": try await insertRows(container, n)
        default: nil
        }
    }

    private func insertRows(_ container: PersistentContainer, _ n: Int) async throws -> Outcome {
        try await timed {
            let count = try await container.perform(isolation: .readCommitted) { context in
                let department = context.insert("Department")
                department["name"] = "New"
                try context.save()
                let id = department.objectID
                var i = 0
                let request = BatchInsertRequest<ManagedObject>(
                    ManagedObject.self, entityName: "Employee",
                    dictionaryHandler: { row in
                        if i == n { return true }
                        row = [
                            "firstName": "First\(i)",
                            "lastName": "Last\(String(i % 1000 + 1000).dropFirst())",
                            "email": "first\(i)@example.com", "salary": Double(i % 5000),
                            "rating": Double(i % 50) / 10,
                            "hiredAt": Date(timeIntervalSince1970: 946_684_800 + Double(i)),
                            "visits": Int64(i),
                            "level": Int32(i % 10), "active": i % 2 == 0, "department": id,
                        ]
                        i += 1
                        return false
                    })
                return try context.execute(request).count
            }
            return (count, 0)
        }
    }

    private func insert(_ container: PersistentContainer, _ n: Int) async throws -> Outcome {
        try await timed {
            let ids = try await container.perform { context in
                let department = context.insert("Department")
                department["name"] = "New"
                var employees: [ManagedObject] = []
                for i in 0..<n {
                    let employee = context.insert("Employee")
                    employee["firstName"] = "First\(i)"
                    employee["lastName"] = "Last\(String(i % 1000 + 1000).dropFirst())"
                    employee["email"] = "first\(i)@example.com"
                    employee["salary"] = Double(i % 5000)
                    employee["rating"] = Double(i % 50) / 10
                    employee["hiredAt"] = Date(timeIntervalSince1970: 946_684_800 + Double(i))
                    employee["visits"] = i
                    employee["level"] = Int32(i % 10)
                    employee["active"] = i % 2 == 0
                    employee["department"] = department
                    employees.append(employee)
                }
                try context.save()
                return employees.map(\.objectID)
            }
            return (ids.count { !$0.isTemporaryID }, 0)
        }
    }

    private func fetch(_ container: PersistentContainer) async throws -> Outcome {
        var outcome = Outcome()
        let before = Memory.resident
        let (counted, held) = try await container.perform { context in
            let start = ContinuousClock.now
            let employees = try context.fetch("Employee")
            var sum = 0.0
            for employee in employees { sum += touch(named: employee) }
            let duration = ContinuousClock.now - start
            let held = Memory.resident - before
            return (Outcome(seconds: duration / .seconds(1), count: employees.count, sum: sum), held)
        }
        outcome = counted
        outcome.held = held
        return outcome
    }

    private func lookUp(_ container: PersistentContainer, _ n: Int) async throws -> Outcome {
        let ids = try await container.perform { context in
            var request = FetchRequest<ManagedObject>(entityName: "Employee")
            request.includesPropertyValues = false
            return try context.fetch(request).map(\.objectID)
        }
        return try await timed {
            var sum = 0.0
            for start in stride(from: 0, to: n, by: 100) {
                sum += try await container.perform { context in
                    var sum = 0.0
                    for i in start..<min(start + 100, n) {
                        sum += Double(
                            int(try context.existingObject(with: ids[i * 7919 % ids.count])["visits"]))
                    }
                    return sum
                }
            }
            return (n, sum)
        }
    }

    private func query(_ container: PersistentContainer, _ n: Int) async throws -> Outcome {
        try await timed {
            try await container.perform { context in
                var (count, sum) = (0, 0.0)
                for i in 0..<n {
                    let name = "Last\(String(i % 1000 + 1000).dropFirst())"
                    let page = try context.fetch(
                        "Employee", matching: .format("lastName == %@ AND salary > %f", name, 1000.0),
                        sortedBy: .key("hiredAt"), limit: 20)
                    for employee in page { sum += touch(named: employee) }
                    count += page.count
                }
                return (count, sum)
            }
        }
    }

    private func update(_ container: PersistentContainer, _ n: Int) async throws -> Outcome {
        try await timed {
            try await container.perform { context in
                let employees = try context.fetch("Employee", limit: n)
                for employee in employees {
                    employee["visits"] = int(employee["visits"]) + 1
                    employee["salary"] = double(employee["salary"]) + 10
                }
                try context.save()
                return (employees.count, 0)
            }
        }
    }

    private func traverse(_ container: PersistentContainer, prefetched: Bool) async throws -> Outcome {
        try await timed {
            try await container.perform { context in
                var request = FetchRequest<ManagedObject>(entityName: "Department")
                if prefetched { request.relationshipKeyPathsForPrefetching = ["employees"] }
                var (count, sum) = (0, 0.0)
                for department in try context.fetch(request) {
                    for employee in department["employees"] as? [ManagedObject] ?? [] {
                        sum += double(employee["salary"])
                        count += 1
                    }
                }
                return (count, sum)
            }
        }
    }

    private func delete(_ container: PersistentContainer, _ n: Int) async throws -> Outcome {
        try await timed {
            try await container.perform { context in
                let employees = try context.fetch("Employee", limit: n)
                for employee in employees { context.delete(employee) }
                try context.save()
                return (employees.count, 0)
            }
        }
    }

    private func deleteByPredicate(_ container: PersistentContainer, _ n: Int) async throws -> Outcome {
        try await timed {
            let result = try await container.perform {
                try $0.execute(request(n))
            }
            return (result.count, 0)
        }
    }

    private func request(_ n: Int) -> BatchDeleteRequest<ManagedObject> {
        var request = FetchRequest<ManagedObject>(entityName: "Employee")
        request.predicate = .format("visits < %d", n)
        return BatchDeleteRequest(request)
    }

    private func contend(_ container: PersistentContainer, _ n: Int) async throws -> Outcome {
        let ids = try await container.perform { try $0.fetch("Employee", limit: 100).map(\.objectID) }
        // Each connection meets the table once before the clock runs.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<8 {
                group.addTask {
                    for i in 0..<20 { try await Self.visit(container, ids[(worker + i) % 100], by: 0) }
                }
            }
            try await group.waitForAll()
        }
        return try await timed {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for worker in 0..<8 {
                    group.addTask {
                        for i in 0..<n / 8 {
                            try await Self.visit(container, ids[(i * 7 + worker * 13) % 100], by: 1)
                        }
                    }
                }
                try await group.waitForAll()
            }
            return (n, 0)
        }
    }

    private static func visit(
        _ container: PersistentContainer, _ id: ObjectID<ManagedObject>, by step: Int
    ) async throws {
        try await container.perform(retrying: .conflicts(upTo: 1_000)) { context in
            let employee = try context.existingObject(with: id)
            employee["visits"] = int(employee["visits"]) + step
            try context.save()
        }
    }
}

private func int(_ value: Any?) -> Int { (value as? Int64).map(Int.init) ?? value as? Int ?? 0 }

private func double(_ value: Any?) -> Double { value as? Double ?? 0 }

private func text(_ value: Any?) -> Int { (value as? String)?.utf8.count ?? 0 }

private func touch(named employee: ManagedObject) -> Double {
    let hiredAt = (employee["hiredAt"] as? Date)?.timeIntervalSince1970 ?? 0
    let level = (employee["level"] as? Int32).map(Int.init) ?? int(employee["level"])
    let numbers = Double(int(employee["visits"])) + double(employee["salary"]) + double(employee["rating"])
    let rest = (hiredAt - 946_684_800) + Double(level) + (employee["active"] as? Bool == true ? 1 : 0)
    return numbers + rest
        + Double(text(employee["firstName"]) + text(employee["lastName"]) + text(employee["email"]))
}
