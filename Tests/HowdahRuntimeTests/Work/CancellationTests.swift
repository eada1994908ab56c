import Foundation
import Howdah
import HowdahTesting
import PQClient
import TestSupport
import Testing

/// Cancelling a task ends the statement it waits for, and touches nobody else's.
@Suite(.timeLimit(.minutes(60))) struct CancellationTests {
    @Test func cancellingEndsTheRunningStatement() async throws {
        try await CompanyStore.with(connections: 1) { store in
            _ = try await store.hire(1)
            let lock = try EmployeeLock(store)
            let container = store.container
            let task = Task { try await container.perform { try $0.count(Employee.self) } }
            try await store.untilBlocked()
            let start = ContinuousClock.now
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(start.duration(to: .now) < .seconds(45))
            lock.release()
            #expect(try await container.perform { try $0.count(Employee.self) } == 1)
        }
    }

    @Test func aCancelledFaultEndsTheRun() async throws {
        try await CompanyStore.with(connections: 1) { store in
            let id = try await store.hire(1)[0]
            let lock = try EmployeeLock(store)
            let container = store.container
            let task = Task { try await container.perform { $0.object(with: id).firstName } }
            try await store.untilBlocked()
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            lock.release()
        }
    }

    @Test func aCancelledSaveStoresNothingAndItsChangesStayPending() async throws {
        try await CompanyStore.with(connections: 1) { store in
            let id = try await store.hire(1)[0]
            let handle = store.container.newBackgroundContext()
            try await handle.perform { try $0.existingObject(with: id).firstName = "Ada" }
            let lock = try EmployeeLock(store)
            let task = Task { try await handle.perform { try $0.save() } }
            try await store.untilBlocked()
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            lock.release()
            try #expect(store.storedNames() == ["E0"])
            try await handle.perform { try $0.save() }
            try #expect(store.storedNames() == ["Ada"])
        }
    }

    @Test func aSaveThatTakesTooLongSaysSo() async throws {
        try await CompanyStore.with(connections: 1) { store in
            let id = try await store.hire(1)[0]
            let handle = store.container.newBackgroundContext()
            try await handle.perform { try $0.existingObject(with: id).firstName = "Ada" }
            let lock = try EmployeeLock(store)
            let error = await #expect(throws: SaveError.self) {
                try await handle.perform(timeout: .seconds(4)) { try $0.save() }
            }
            lock.release()
            let cause = try #require(error?.databaseError)
            #expect(error?.description.contains(cause.description) == true, "\(String(describing: error))")
        }
    }

    @Test func aTaskThatIsCancelledBeforeSendsNothing() async throws {
        try await CompanyStore.with { store in
            let container = store.container
            container.statementLog.start()
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await container.perform { try $0.count(Employee.self) }
            }
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(container.statementLog.count == 0)
        }
    }

    /// A cancel request that comes late would hit whoever uses the connection next.
    @Test func aLateCancellationHitsNobodyElse() async throws {
        try await CompanyStore.with(connections: 1) { store in
            let container = store.container
            _ = try await store.hire(1)
            var generator = SeededGenerator(seed: 42)
            for _ in 0..<500 {
                let victim = Task { try await container.perform { try $0.count(Employee.self) } }
                let bystanders = (0..<3).map { _ in
                    Task { try await container.perform { try $0.count(Employee.self) } }
                }
                // About as long as the victim takes, so that many requests come just when it ends.
                let pause = Int.random(in: 0..<600, using: &generator)
                let start = ContinuousClock.now
                while start.duration(to: .now) < .microseconds(pause) {}
                victim.cancel()
                for bystander in bystanders { #expect(try await bystander.value == 1) }
                _ = await victim.result
            }
        }
    }

    /// The thread that sends a request may come to run when the connection's next user is at work.
    @Test func aRequestMadeWhileNothingRanIsWithoutEffect() async throws {
        try await CompanyStore.with(connections: 1) { store in
            let session = try store.session()
            for _ in 0..<20 {
                session.canceller.cancelInBackground()
                _ = try session.query("SELECT pg_sleep(0.005)")
            }
        }
    }
}
