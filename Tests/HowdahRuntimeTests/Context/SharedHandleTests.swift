import Foundation
import Howdah
import HowdahTesting
import Testing

/// Eight tasks on one handle, whose runs end their objects while the next one is at work. That objects cannot leave a run
/// is for the compiler to see: `CompileFailureTests` has the programs. Run under the thread sanitizer, too.
@Suite(.timeLimit(.minutes(10))) struct SharedHandleTests {
    @Test(arguments: [false, true]) func eightTasksTakeTurns(waiting: Bool) async throws {
        try await CompanyStore.with { store in
            _ = try await store.hire(40)
            let handle = store.container.newBackgroundContext()
            let sum = try await withThrowingTaskGroup(of: Int.self) { group in
                for task in 0..<8 {
                    group.addTask {
                        var sum = 0
                        for run in 0..<300 {
                            sum +=
                                waiting
                                ? try handle.performAndWait { try Self.work($0, task, run) }
                                : try await handle.perform { try Self.work($0, task, run) }
                        }
                        return sum
                    }
                }
                return try await group.reduce(0, +)
            }
            #expect(sum == 8 * 300)
            let visits = try PlainSQL(url: store.url).value("SELECT sum(visits)::text FROM employee")
            #expect(visits == "\(8 * 300 / 10)")
        }
    }

    /// Fetches, follows relationships, and changes an object in each tenth run; what it fetched ends with the run or
    /// before, by a refresh or a reset.
    private static func work(_ context: ManagedObjectContext, _ task: Int, _ run: Int) throws -> Int {
        let people = try context.fetch(FetchRequest<Employee>())
        guard run.isMultiple(of: 10) else {
            if run % 10 == 3 { context.reset() }
            if run % 10 == 7 { try context.refreshAllObjects() }
            return people.count == 40 ? 1 : 0
        }
        let person = people[(task * 31 + run) % people.count]
        person.visits += 1
        person.department = context.insert("Department") as? Department
        person.department?.name = "D\(task) \(run) \(UUID())"
        try context.save()
        return 1
    }
}
