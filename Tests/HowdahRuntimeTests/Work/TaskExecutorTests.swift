import Foundation
import Howdah
import Testing

/// Tasks on the container's own threads.
@Suite(.timeLimit(.minutes(60))) struct TaskExecutorTests {
    private static var thread: UInt { UInt(bitPattern: pthread_self().hashValue) }

    private static func withStore(
        connections: Int, _ body: (PersistentContainer) async throws -> Void
    ) async throws {
        try await CompanyStore.with(connections: connections) { store in
            try await Company.fill(store.container, departments: 2, employees: 20)
            try await body(store.container)
        }
    }

    @Test(
        "A task and its units of work are on one thread, and on two without the executor",
        arguments: [true, false])
    func oneThread(isOwn: Bool) async throws {
        try await Self.withStore(connections: 4) { container in
            let pairs = try await withTaskExecutorPreference(isOwn ? container.taskExecutor : nil) {
                () async throws -> [(task: UInt, unit: UInt)] in
                var pairs: [(task: UInt, unit: UInt)] = []
                for _ in 0..<50 {
                    let before = Self.thread
                    let unit = try await container.perform { context in
                        _ = try context.count(Employee.self)
                        return Self.thread
                    }
                    pairs.append((before, unit))
                    pairs.append((Self.thread, unit))
                }
                return pairs
            }
            #expect(pairs.allSatisfy { ($0.task == $0.unit) == isOwn })
            if isOwn { #expect(Set(pairs.map(\.task)).count == 1) }
        }
    }

    @Test("Bodies that wait for each other run at the same time")
    func bodiesMeet() async throws {
        try await Self.withStore(connections: 4) { container in
            let latch = Latch()
            try await withTaskExecutorPreference(container.taskExecutor) {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<3 { group.addTask { try await container.perform { _ in latch.wait() } } }
                    group.addTask {
                        try await latch.untilWaiting(3)
                        latch.open()
                    }
                    try await group.waitForAll()
                }
            }
            #expect(latch.waiting == 0)
        }
    }

    @Test("A thread that blocks holds back no work that was to follow")
    func nothingFollowsABody() async throws {
        try await Self.withStore(connections: 4) { container in
            let other = container.newBackgroundContext()
            let count = try await withTaskExecutorPreference(container.taskExecutor) {
                () async throws -> Int in
                let latch = Latch()
                // The unit is asked for on this thread, which then waits for it.
                let task = Task(executorPreference: container.taskExecutor) {
                    try await other.perform { context in
                        latch.open()
                        return try context.count(Employee.self)
                    }
                }
                try await container.perform { _ in latch.wait() }
                try other.performAndWait { _ in }
                return try await task.value
            }
            #expect(count == 20)
        }
    }

    @Test("Tasks that go on and on leave turns to others", arguments: [1, 2])
    func turnsAreShared(connections: Int) async throws {
        try await Self.withStore(connections: connections) { container in
            let isOver = Shared(false)
            let counts: [Int] = try await withTaskExecutorPreference(container.taskExecutor) {
                try await withThrowingTaskGroup(of: Int?.self) { group in
                    for _ in 0..<6 {
                        group.addTask {
                            var count = 0
                            while !isOver.value {
                                _ = try await container.perform { try $0.count(Employee.self) }
                                count += 1
                            }
                            return count
                        }
                    }
                    group.addTask {
                        // Ten suspensions are ten places in the line of jobs.
                        for _ in 0..<10 {
                            for _ in 0..<10 {
                                _ = try await container.perform { try $0.count(Employee.self) }
                            }
                            await Task.yield()
                        }
                        isOver.withLock { $0 = true }
                        return nil
                    }
                    return try await group.reduce(into: []) { counts, count in
                        if let count { counts.append(count) }
                    }
                }
            }
            // The one had 100 units, and nobody could have had far more.
            #expect(counts.count == 6)
            #expect(counts.allSatisfy { $0 >= 10 && $0 <= 1_000 }, "\(counts)")
        }
    }

    @Test("Cancellation, deadlines and errors reach tasks on the container's threads")
    func endings() async throws {
        try await Self.withStore(connections: 2) { container in
            let task = Task(executorPreference: container.taskExecutor) {
                try await container.perform { context in
                    _ = try context.fetchRows(String.self, sql: "SELECT pg_catalog.pg_sleep(60)::text")
                }
            }
            try await Task.sleep(for: .milliseconds(200))
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            let late = await #expect(throws: (any Error).self) {
                try await withTaskExecutorPreference(container.taskExecutor) {
                    try await container.perform(timeout: .milliseconds(100)) { context in
                        _ = try context.fetchRows(String.self, sql: "SELECT pg_catalog.pg_sleep(60)::text")
                    }
                }
            }
            #expect("\(late as Any)".contains("timeout") || "\(late as Any)".contains("deadline"))
            #expect(try await container.perform { try $0.count(Employee.self) } == 20)
        }
    }

    @Test("A task goes on after its container was closed")
    func closing() async throws {
        try await Self.withStore(connections: 2) { container in
            let error = await #expect(throws: StoreError.self) {
                try await withTaskExecutorPreference(container.taskExecutor) {
                    _ = try await container.perform { try $0.count(Employee.self) }
                    await container.close()
                    for _ in 0..<20 { await Task.yield() }
                    _ = try await container.perform { try $0.count(Employee.self) }
                }
            }
            #expect(error?.code == .closed)
        }
    }

    @Test("The units of many tasks change each row once")
    func manyTasks() async throws {
        try await Self.withStore(connections: 4) { container in
            let ids = try await container.perform { try $0.fetch(Employee.self).map(\.objectID) }
            try await withTaskExecutorPreference(container.taskExecutor) {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for task in 0..<32 {
                        group.addTask {
                            for step in 0..<25 {
                                let id = ids[(task * 7 + step) % ids.count]
                                try await container.perform(retrying: .conflicts(upTo: 10_000)) { context in
                                    try context.existingObject(with: id).visits += 1
                                    try context.save()
                                }
                            }
                        }
                    }
                    try await group.waitForAll()
                }
            }
            let sum = try await container.perform {
                try $0.fetch(Employee.self).reduce(0) { $0 + Int($1.visits) }
            }
            #expect(sum == 32 * 25)
        }
    }
}
