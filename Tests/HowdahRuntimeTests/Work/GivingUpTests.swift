import Foundation
import Howdah
import HowdahTesting
import LocalPostgres
import PQClient
import TestSupport
import Testing

/// A unit of work ends when its task or its time does, also if the server says nothing, and units inside of it with it.
@Suite(.serialized, .timeLimit(.minutes(60))) struct GivingUpTests {
    /// Runs `body` with a container of one connection, whose process it may stop.
    ///
    /// On a server of its own: DROP DATABASE of other tests would wait for a process that is stopped.
    private func withProcess(_ body: (PersistentContainer, Int32) async throws -> Void) async throws {
        let server = try await onThread { try LocalCluster.start() }
        defer { server.stop() }
        var options = StoreOptions()
        options.maximumConnections = 1
        let container = try await PersistentContainer.open(
            server.url(database: "postgres"), model: try Company.model(), options: options)
        let process = try await container.perform { context in
            try context.fetchRows(Int32.self, sql: "SELECT pg_backend_pid()")[0]
        }
        defer { kill(process, SIGCONT) }
        try await body(container, process)
        kill(process, SIGCONT)
        await container.close(drainingFor: .seconds(5))
    }

    /// Far less than the statement timeout; how much later than asked units really end, the soak test shows.
    private static let soon = Duration.seconds(45)

    /// Suspends until a session waits for a row that another one has locked.
    private func untilWaiting(_ store: CompanyStore) async throws {
        let session = try store.session()
        defer { session.close() }
        let waiting = """
            SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid)
            WHERE NOT granted AND locktype = 'transactionid' AND datname = current_database()
            """
        // On a busy machine the unit may have ended before anybody looks.
        let end = ContinuousClock.now + .seconds(60)
        while try .now < end && session.query(waiting).scalar(\.int64) == 0 {
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    private func elapsed(_ body: () async throws -> Void) async rethrows -> Duration {
        let start = ContinuousClock.now
        try await body()
        return start.duration(to: .now)
    }

    @Test(arguments: [nil, .readCommitted] as [Isolation?])
    func aCancelledUnitLeavesAServerThatDoesNotAnswer(isolation: Isolation?) async throws {
        try await withProcess { container, process in
            #expect(kill(process, SIGSTOP) == 0)
            let task = Task {
                try await container.perform(isolation: isolation) { try $0.count(Employee.self) }
            }
            try await Task.sleep(for: .milliseconds(200))
            let time = await elapsed {
                task.cancel()
                await #expect(throws: CancellationError.self) { try await task.value }
            }
            #expect(time < Self.soon)
            kill(process, SIGCONT)
            #expect(try await container.perform { try $0.count(Employee.self) } == 0)
        }
    }

    @Test("A unit that a closed container cuts off ends with closed, even if its own SQL may have written")
    func closingCutsOffAUnitOfAServerThatDoesNotAnswer() async throws {
        try await withProcess { container, process in
            #expect(kill(process, SIGSTOP) == 0)
            defer { kill(process, SIGCONT) }
            let hasBegun = Shared(false)
            let task = Task {
                try await container.perform { context in
                    hasBegun.withLock { $0 = true }
                    return try context.fetchRows(String.self, sql: "SELECT pg_sleep(300)::text")
                }
            }
            while !hasBegun.value { try await Task.sleep(for: .milliseconds(5)) }
            try await Task.sleep(for: .milliseconds(500))
            let time = await elapsed { await container.close(drainingFor: .milliseconds(300)) }
            let error = await #expect(throws: StoreError.self) { _ = try await task.value }
            #expect(error?.code == .closed && error?.databaseError?.code == .cancelled)
            #expect(time < Self.soon)
        }
    }

    @Test func aDeadlineEndsAUnitOfAServerThatDoesNotAnswer() async throws {
        try await withProcess { container, process in
            #expect(kill(process, SIGSTOP) == 0)
            let time = await elapsed {
                let error = await #expect(throws: FetchError.self) {
                    try await container.perform(isolation: .readCommitted, timeout: .seconds(3)) {
                        try $0.count(Employee.self)
                    }
                }
                #expect(error?.code == .deadlineExceeded)
            }
            #expect(time < Self.soon)
        }
    }

    @Test func statementsHaveATimeoutOfTheirOwn() async throws {
        var options = StoreOptions()
        options.statementTimeout = .seconds(2)
        try await CompanyStore.with(connections: 1, options: options) { store in
            _ = try await store.hire(1)
            let container = store.container
            let lock = try EmployeeLock(store)
            let error = await #expect(throws: FetchError.self) {
                try await container.perform { try $0.count(Employee.self) }
            }
            #expect(error?.code == .deadlineExceeded)
            #expect(error?.message.contains("StoreOptions.statementTimeout") == true)
            let failed = await #expect(throws: SaveError.self) {
                try await container.perform { context in
                    Employee(context: context).firstName = "Ada"
                    try context.save()
                }
            }
            #expect(failed?.code == .deadlineExceeded)
            // The unit's own time replaces it.
            let time = await elapsed {
                let error = await #expect(throws: FetchError.self) {
                    try await container.perform(timeout: .seconds(5)) { try $0.count(Employee.self) }
                }
                #expect(error?.message.contains("perform(timeout:)") == true)
            }
            #expect(time > .milliseconds(4_900))
            lock.release()
            // Nothing rests on the session.
            let setting = try await container.perform {
                try $0.fetchRows(String.self, sql: "SHOW statement_timeout")[0]
            }
            #expect(setting == "0")
        }
    }

    @MainActor @Test func theViewContextHasIt() async throws {
        var options = StoreOptions()
        options.statementTimeout = .seconds(2)
        try await CompanyStore.with(connections: 1, options: options) { store in
            let lock = try EmployeeLock(store)
            let error = #expect(throws: FetchError.self) {
                try store.container.viewContext.count(Employee.self)
            }
            #expect(error?.code == .deadlineExceeded)
            lock.release()
        }
    }

    @Test func batchesTakeAsLongAsTheyNeed() async throws {
        var options = StoreOptions()
        options.statementTimeout = .seconds(2)
        try await CompanyStore.with(connections: 1, options: options) { store in
            _ = try await store.hire(1)
            let lock = try EmployeeLock(store)
            let container = store.container
            let task = Task {
                try await container.perform { context in
                    try context.execute(BatchUpdateRequest(Employee.self, set: ["firstName": "Ada"])).count
                }
            }
            try await store.untilBlocked()
            try await Task.sleep(for: .seconds(3))
            lock.release()
            #expect(try await task.value == 1)
        }
    }

    @Test(arguments: [false, true])
    func nestedUnitsEndWithTheOuterOne(byDeadline: Bool) async throws {
        try await CompanyStore.with(connections: 2) { store in
            let id = try await store.hire(1)[0]
            let container = store.container
            let handle = container.newBackgroundContext()
            // The inner unit waits for a row that the outer one has locked: the server sees no deadlock.
            let task = Task {
                try await container.perform(
                    isolation: .readCommitted, timeout: byDeadline ? .milliseconds(500) : nil
                ) { context in
                    try context.existingObject(with: id).firstName = "outer"
                    try context.save()
                    try handle.performAndWait { inner in
                        try inner.existingObject(with: id).firstName = "inner"
                        try inner.save()
                    }
                }
            }
            try await untilWaiting(store)
            let time = await elapsed {
                if !byDeadline { task.cancel() }
                await #expect(throws: (any Error).self) { try await task.value }
            }
            #expect(time < Self.soon)
            try #expect(store.storedNames() == ["E0"])
        }
    }

    @Test func waitingForAContextsTurnEndsToo() async throws {
        try await CompanyStore.with(connections: 2) { store in
            let container = store.container
            let handle = container.newBackgroundContext()
            let latch = Latch()
            let holder = Task { try await handle.perform { _ in latch.wait() } }
            try await latch.untilWaiting(1)
            defer { latch.open() }
            let late = await #expect(throws: StoreError.self) {
                try await onThread { try handle.performAndWait(timeout: .milliseconds(200)) { _ in } }
            }
            #expect(late?.code == .deadlineExceeded)
            let nested = Task {
                try await container.perform { _ in try handle.performAndWait { _ in } }
            }
            try await Task.sleep(for: .milliseconds(100))
            let time = await elapsed {
                nested.cancel()
                await #expect(throws: CancellationError.self) { try await nested.value }
            }
            #expect(time < Self.soon)
            latch.open()
            try await holder.value
            // Those that left are passed by.
            #expect(try await onThread { try handle.performAndWait { _ in 1 } } == 1)
            #expect(try await handle.perform { _ in 2 } == 2)
        }
    }
}
