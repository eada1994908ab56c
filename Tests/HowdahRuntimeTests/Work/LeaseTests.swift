import Howdah
import HowdahTesting
import PQClient
import TestSupport
import Testing

/// Connections are borrowed for a run and given back, and nobody waits for one that his own thread holds.
@Suite(.needsSession, .timeLimit(.minutes(60))) struct LeaseTests {
    @Test func aNestedRunNeverWaitsForThePool() async throws {
        try await CompanyStore.with(connections: 1) { store in
            _ = try await store.hire(2)
            let other = store.container.newBackgroundContext()
            for _ in 0..<20 {
                let counts = try await store.container.perform { context in
                    let mine = try context.count(Employee.self)
                    let others = try other.performAndWait { try $0.fetch(Employee.self).count }
                    return [mine, others, try context.count(Employee.self)]
                }
                #expect(counts == [2, 2, 2])
            }
        }
    }

    @Test func aNestedRunIsATransactionOfItsOwn() async throws {
        struct Refusal: Error {}
        try await CompanyStore.with(connections: 1) { store in
            let other = store.container.newBackgroundContext()
            await #expect(throws: Refusal.self) {
                try await store.container.perform(isolation: .readCommitted) { context in
                    Employee(context: context).firstName = "rolled back"
                    try context.save()
                    try other.performAndWait { context in
                        Employee(context: context).firstName = "stays"
                        try context.save()
                    }
                    throw Refusal()
                }
            }
            try #expect(store.storedNames() == ["stays"])
        }
    }

    @Test func aTimeoutWhileASaveWaitsForALockHasItsCode() async throws {
        try await CompanyStore.with { store in
            let id = try await store.hire(1)[0]
            let session = try store.session()
            defer { session.close() }
            try session.begin()
            _ = try session.query("SELECT 1 FROM employee FOR UPDATE")
            let error = await #expect(throws: SaveError.self) {
                try await store.container.perform(timeout: .seconds(4)) { context in
                    try context.existingObject(with: id).visits = 5
                    try context.save()
                }
            }
            #expect(
                error?.code == .deadlineExceeded && error?.databaseError?.sqlState == SQLState.queryCancelled)
        }
    }

    @Test func aTimeoutReachesTheServer() async throws {
        try await CompanyStore.with(connections: 1) { store in
            _ = try await store.hire(1)
            let lock = try EmployeeLock(store)
            let start = ContinuousClock.now
            let error = await #expect(throws: FetchError.self) {
                try await store.container.perform(timeout: .seconds(4)) { try $0.count(Employee.self) }
            }
            #expect(error?.code == .deadlineExceeded && error?.databaseError?.code == .deadlineExceeded)
            #expect(error?.description.contains("deadline") == true)
            #expect(start.duration(to: .now) < .seconds(45))
            // The server stops waiting too, although the lock is held.
            let session = try store.session()
            defer { session.close() }
            let waiting =
                "SELECT count(*) FROM pg_locks l JOIN pg_database d ON d.oid = l.database "
                + "WHERE NOT granted AND datname = current_database()"
            while try session.query(waiting).scalar(\.int64) != 0 {
                try #require(start.duration(to: .now) < .seconds(45))
                try await Task.sleep(for: .milliseconds(5))
            }
            lock.release()
            #expect(try await store.container.perform { try $0.count(Employee.self) } == 1)
        }
    }

    @Test func aTimeoutCoversTheWaitForAConnection() async throws {
        try await CompanyStore.with(connections: 1) { store in
            let latch = Latch()
            let container = store.container
            let holder = Task {
                try await container.perform { context in
                    _ = try context.count(Employee.self)
                    latch.wait()
                }
            }
            try await latch.untilWaiting(1)
            let handle = container.newBackgroundContext()
            let start = ContinuousClock.now
            await #expect(throws: FetchError.self) {
                try await onThread {
                    try handle.performAndWait(timeout: .seconds(3)) { try $0.count(Employee.self) }
                }
            }
            #expect(start.duration(to: .now) < .seconds(45))
            latch.open()
            try await holder.value
        }
    }

    @Test func closingLetsWorkUnderWayFinishAndRefusesMore() async throws {
        try await CompanyStore.with { store in
            let latch = Latch()
            let container = store.container
            let worker = Task {
                try await container.perform { context in
                    Employee(context: context).firstName = "Ada"
                    _ = try context.count(Employee.self)
                    latch.wait()
                    try context.save()
                    return try context.count(Employee.self)
                }
            }
            try await latch.untilWaiting(1)
            let isClosed = Shared(false)
            let closing = Task {
                await container.close(drainingFor: .seconds(300))
                isClosed.withLock { $0 = true }
            }
            let refusal = try await firstRefusal(of: container)
            #expect(refusal.code == .closed)
            #expect(!isClosed.value)
            latch.open()
            #expect(try await worker.value == 1)
            await closing.value
            try #expect(store.storedNames() == ["Ada"])
        }
    }

    private func firstRefusal(of container: PersistentContainer) async throws -> StoreError {
        while true {
            do {
                _ = try await container.perform { try $0.count(Employee.self) }
            } catch let error as StoreError {
                return error
            }
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    @Test func closingCancelsWhatDoesNotFinish() async throws {
        try await CompanyStore.with { store in
            let lock = try EmployeeLock(store)
            let container = store.container
            let stuck = Task { try await container.perform { try $0.count(Employee.self) } }
            try await store.untilBlocked()
            await container.close(drainingFor: .milliseconds(50))
            let error = await #expect(throws: StoreError.self) { try await stuck.value }
            #expect(error?.code == .closed && error?.databaseError?.code == .cancelled)
            lock.release()
        }
    }

    @Test func aContainerThatIsDroppedClosesItsConnections() async throws {
        try await CompanyStore.with { store in
            let model = try Company.model()
            for _ in 0..<5 {
                let container = try await PersistentContainer.open(store.url, model: model)
                #expect(try await container.perform { try $0.count(Employee.self) } == 0)
            }
            let session = try store.session()
            let sql = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
            // This session, and one of the store's own container.
            while true {
                let result = try session.query(sql)
                if result.row(0)[0].int64 <= 2 { break }
                try await Task.sleep(for: .milliseconds(5))
            }
        }
    }
}
