import Foundation
import Howdah
import PQClient
import Testing

/// Units of work wait in one line, with an end.
@Suite(.timeLimit(.minutes(60))) struct AdmissionTests {
    /// Occupies all threads of a store until the latch opens.
    private func occupy(_ store: CompanyStore, _ count: Int, _ latch: Latch) async throws -> [Task<
        Void, any Error
    >] {
        let container = store.container
        let tasks = (0..<count).map { _ in Task { try await container.perform { _ in latch.wait() } } }
        try await latch.untilWaiting(count)
        return tasks
    }

    private func elapsed(_ body: () async throws -> Void) async rethrows -> Duration {
        let start = ContinuousClock.now
        try await body()
        return start.duration(to: .now)
    }

    @Test func timeoutsCountWhileAUnitWaits() async throws {
        try await CompanyStore.with(connections: 2) { store in
            let latch = Latch()
            let busy = try await occupy(store, 2, latch)
            defer { latch.open() }
            let hasRun = Shared(false)
            let handle = store.container.newBackgroundContext()
            let time = await elapsed {
                let error = await #expect(throws: StoreError.self) {
                    try await store.container.perform(timeout: .milliseconds(200)) { _ in
                        hasRun.withLock { $0 = true }
                    }
                }
                #expect(error?.code == .deadlineExceeded)
                let other = await #expect(throws: StoreError.self) {
                    try await handle.perform(timeout: .milliseconds(200)) { _ in
                        hasRun.withLock { $0 = true }
                    }
                }
                #expect(other?.code == .deadlineExceeded)
            }
            #expect(time < .seconds(45) && !hasRun.value)
            latch.open()
            for task in busy { try await task.value }
            // Nothing of the place is lost.
            #expect(try await store.container.perform { try $0.count(Employee.self) } == 0)
            #expect(try await handle.perform { try $0.count(Employee.self) } == 0)
        }
    }

    @Test func connectionWaitEndsInATypedError() async throws {
        var options = StoreOptions()
        options.connectionWait = .seconds(6)
        options.maximumWaitingUnits = 3
        try await CompanyStore.with(connections: 1, options: options) { store in
            let latch = Latch()
            let busy = try await occupy(store, 1, latch)
            defer { latch.open() }
            let container = store.container
            let errors = await withTaskGroup(of: StoreError?.self) { group in
                for _ in 0..<5 {
                    group.addTask {
                        do {
                            try await container.perform { _ in }
                            return nil
                        } catch {
                            return error as? StoreError
                        }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(errors.allSatisfy { $0?.code == .overloaded })
            // Two of five were too many to wait at all, and are refused before the others.
            let areRefused = errors.map { $0?.message.contains("3 units of work wait already") == true }
            #expect(areRefused == [true, true, false, false, false])
            latch.open()
            for task in busy { try await task.value }
            try await container.perform { _ in }
        }
    }

    @Test func aCancelledUnitThatWaitsDoesNotRun() async throws {
        try await CompanyStore.with(connections: 1) { store in
            let latch = Latch()
            let busy = try await occupy(store, 1, latch)
            defer { latch.open() }
            let container = store.container
            let handle = container.newBackgroundContext()
            let runs = Shared(0)
            let tasks = (0..<20).map { number in
                Task {
                    if number.isMultiple(of: 2) {
                        try await container.perform { _ in runs.withLock { $0 += 1 } }
                    } else {
                        try await handle.perform { _ in runs.withLock { $0 += 1 } }
                    }
                }
            }
            try await Task.sleep(for: .milliseconds(50))
            let time = await elapsed {
                for task in tasks { task.cancel() }
                for task in tasks {
                    await #expect(throws: CancellationError.self) { try await task.value }
                }
            }
            #expect(time < .seconds(45) && runs.value == 0)
            latch.open()
            for task in busy { try await task.value }
        }
    }

    @Test func aTaskThatIsCancelledAlreadyRunsNothing() async throws {
        try await CompanyStore.with(connections: 1) { store in
            let container = store.container
            let handle = container.newBackgroundContext()
            let runs = Shared(0)
            let task = Task {
                while !Task.isCancelled { await Task.yield() }
                await #expect(throws: CancellationError.self) {
                    try await container.perform { _ in runs.withLock { $0 += 1 } }
                }
                await #expect(throws: CancellationError.self) {
                    try await handle.perform { _ in runs.withLock { $0 += 1 } }
                }
            }
            task.cancel()
            await task.value
            #expect(runs.value == 0)
        }
    }

    @Test func unitsOfOneContextLeaveThePlacesToOthers() async throws {
        try await CompanyStore.with(connections: 2) { store in
            let latch = Latch()
            let container = store.container
            let handle = container.newBackgroundContext()
            let waiting = (0..<10).map { _ in Task { try await handle.perform { _ in latch.wait() } } }
            try await latch.untilWaiting(1)
            #expect(try await container.perform(timeout: .seconds(300)) { try $0.count(Employee.self) } == 0)
            latch.open()
            for task in waiting { try await task.value }
        }
    }

    /// Handles that always have work, as many as threads, and one that comes now and then.
    @Test func aContextThatIsAlwaysBusyDoesNotStarveOthers() async throws {
        try await CompanyStore.with(connections: 2) { store in
            let container = store.container
            let isOver = Shared(false)
            let busy = (0..<2).map { _ in
                let handle = container.newBackgroundContext()
                return (0..<4).map { _ in
                    Task {
                        while !isOver.value { try await handle.perform { _ in usleep(2_000) } }
                    }
                }
            }.flatMap(\.self)
            defer { isOver.withLock { $0 = true } }
            for _ in 0..<20 {
                try await container.perform(timeout: .seconds(60)) { _ in }
            }
            isOver.withLock { $0 = true }
            for task in busy { try await task.value }
        }
    }

    @Test func closingSendsAwayThoseThatWait() async throws {
        try await CompanyStore.with(connections: 1) { store in
            let latch = Latch()
            let busy = try await occupy(store, 1, latch)
            let container = store.container
            let waiting = Task { try await container.perform { _ in } }
            try await Task.sleep(for: .milliseconds(50))
            async let closing: Void = container.close(drainingFor: .seconds(300))
            let error = await #expect(throws: StoreError.self) { try await waiting.value }
            #expect(error?.code == .closed)
            latch.open()
            for task in busy { try await task.value }
            await closing
            let later = await #expect(throws: StoreError.self) { try await container.perform { _ in } }
            #expect(later?.code == .closed)
        }
    }

    @Test func manyCancellationsAndTimeoutsLoseNoPlace() async throws {
        try await CompanyStore.with(connections: 3) { store in
            let container = store.container
            let handles = (0..<3).map { _ in container.newBackgroundContext() }
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<600 {
                    group.addTask {
                        let task = Task {
                            let timeout: Duration? = number % 3 == 0 ? .milliseconds(number % 20) : nil
                            if number.isMultiple(of: 2) {
                                try await container.perform(timeout: timeout) { _ in usleep(500) }
                            } else {
                                try await handles[number % 3].perform(timeout: timeout) { _ in usleep(500) }
                            }
                        }
                        if number % 5 == 0 {
                            try? await Task.sleep(for: .microseconds(number * 7 % 3_000))
                            task.cancel()
                        }
                        _ = await task.result
                    }
                }
            }
            // All places are there: three at once meet each other.
            let latch = Latch()
            let busy = try await occupy(store, 3, latch)
            latch.open()
            for task in busy { try await task.value }
            for handle in handles { try await handle.perform(timeout: .seconds(300)) { _ in } }
        }
    }
}
