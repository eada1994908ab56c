import Foundation
import Testing

@testable import PQClient

@Suite struct ConnectionPoolTests {
    private func pool(_ maximum: Int) throws -> ConnectionPool {
        ConnectionPool(configuration: try TestCluster.configuration(), maximumConnections: maximum)
    }

    /// Blocking calls must not run on the threads of the tests' tasks.
    private func onThread<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
        }
    }

    @Test func connectionsAreReusedAndReplaced() async throws {
        let pool = try pool(2)
        let first = try await pool.lease(timeout: .seconds(5))
        let pid = first.backendProcessID
        pool.release(first)
        let second = try await pool.lease(timeout: .seconds(5))
        #expect(second.backendProcessID == pid)
        #expect(throws: PostgresError.self) {
            try second.query("SELECT pg_terminate_backend(pg_backend_pid())")
        }
        pool.release(second)
        let third = try await pool.lease(timeout: .seconds(5))
        #expect(third.backendProcessID != pid)
        #expect(try third.query("SELECT 1").scalar(\.int32) == 1)

        // One that dies while idle is noticed before it is lent.
        let idlePID = third.backendProcessID
        pool.release(third)
        _ = try TestCluster.connect().query("SELECT pg_terminate_backend(\(idlePID), 5000)")
        let fourth = try await pool.lease(timeout: .seconds(5))
        #expect(fourth.backendProcessID != idlePID && fourth.isUsable)
        pool.release(fourth)
        #expect(await pool.close(drainingFor: .seconds(5)))
    }

    @Test func releaseLeavesNothingBehind() async throws {
        let pool = try pool(1)
        let connection = try await pool.lease(timeout: .seconds(5))
        let pid = connection.backendProcessID
        try connection.begin()
        _ = try connection.query("CREATE TABLE pool_leftover (n int8)")
        connection.deadline = .now - .seconds(1)
        connection.canceller.cancelUnitOfWork()
        pool.release(connection)
        let again = try await pool.lease(timeout: .seconds(5))
        #expect(again.backendProcessID == pid && again.transactionStatus == .idle)
        #expect(try again.query("SELECT to_regclass('pool_leftover') IS NULL").scalar(\.bool) == true)
        pool.release(again)
    }

    @Test func timeoutsOfBlockingAndSuspendedCallers() async throws {
        let pool = try pool(1)
        let held = try await pool.lease(timeout: .seconds(5))
        let suspended = await #expect(throws: PostgresError.self) {
            let connection = try await pool.lease(timeout: .milliseconds(50))
            pool.release(connection)
        }
        #expect(suspended?.code == .poolTimeout)
        let blocked = await #expect(throws: PostgresError.self) {
            try await onThread { pool.release(try pool.lease(timeout: .milliseconds(50))) }
        }
        #expect(blocked?.code == .poolTimeout)
        let nested = try await onThread { () -> Bool in
            let nested = try pool.leaseNested()
            defer { pool.release(nested) }
            return nested.isUsable
        }
        #expect(nested)
        pool.release(held)
        #expect(pool.status == PoolStatus(idle: 1, leased: 0, opening: 0, waiting: 0, maximum: 1))
    }

    @Test func cancellationOfAWaiter() async throws {
        let pool = try pool(1)
        let held = try await pool.lease(timeout: .seconds(5))
        let waiting = Task {
            let connection = try await pool.lease(timeout: .seconds(20))
            pool.release(connection)
        }
        while pool.status.waiting == 0 { try await Task.sleep(for: .milliseconds(1)) }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        #expect(pool.status.waiting == 0)
        pool.release(held)
        let early = Task {
            try await Task.sleep(for: .seconds(20)); pool.release(try await pool.lease(timeout: .zero))
        }
        early.cancel()
        await #expect(throws: CancellationError.self) { try await early.value }
    }

    @Test func firstComeFirstServed() async throws {
        let pool = try pool(1)
        let held = try await pool.lease(timeout: .seconds(5))
        let order = Monitor<[Int]>([])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    if number % 2 == 0 {
                        let connection = try await pool.lease(timeout: .seconds(120))
                        order.withLock { $0.append(number) }
                        pool.release(connection)
                    } else {
                        try await onThread {
                            let connection = try pool.lease(timeout: .seconds(120))
                            order.withLock { $0.append(number) }
                            pool.release(connection)
                        }
                    }
                }
                // On a busy machine a waiter may give up; without an end the test would wait for it for ever.
                let end = ContinuousClock.now + .seconds(100)
                while pool.status.waiting <= number {
                    try #require(.now < end)
                    try await Task.sleep(for: .milliseconds(1))
                }
            }
            pool.release(held)
            try await group.waitForAll()
        }
        #expect(order.withLock { $0 } == Array(0..<8))
    }

    @Test func manyThreadsNeverExceedTheMaximum() async throws {
        let pool = try pool(3)
        let inUse = Monitor((now: 0, most: 0))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<10 {
                group.addTask {
                    try await onThread {
                        for _ in 0..<20 {
                            let connection = try pool.lease(timeout: .seconds(300))
                            inUse.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
                            _ = try connection.query("SELECT 1")
                            inUse.withLock { $0.now -= 1 }
                            pool.release(connection)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(inUse.withLock { $0.most } <= 3 && inUse.withLock { $0.now } == 0)
        #expect(pool.status.leased == 0)
    }

    @Test func anUnreachableServerFailsEveryWaiter() async throws {
        var configuration = try TestCluster.configuration()
        configuration["host"] = "/nonexistent"
        let pool = ConnectionPool(configuration: configuration, maximumConnections: 2)
        await withTaskGroup(of: PostgresError.Code?.self) { group in
            for _ in 0..<6 {
                group.addTask {
                    do {
                        pool.release(try await pool.lease(timeout: .seconds(20)))
                        return nil
                    } catch { return (error as? PostgresError)?.code }
                }
            }
            for await code in group { #expect(code == .connectionFailed) }
        }
        #expect(throws: PostgresError.self) { try pool.leaseNested() }
        #expect(pool.status == PoolStatus(idle: 0, leased: 0, opening: 0, waiting: 0, maximum: 2))
    }

    @Test func closingDrains() async throws {
        let pool = try pool(2)
        let held = try await pool.lease(timeout: .seconds(5))
        let closing = Task { await pool.close(drainingFor: .seconds(20)) }
        while !pool.state.withLock({ $0.machine.isClosed }) { try await Task.sleep(for: .milliseconds(1)) }
        await #expect(throws: PostgresError.self) { pool.release(try await pool.lease(timeout: .seconds(5))) }
        #expect(try held.query("SELECT 1").scalar(\.int32) == 1)
        pool.release(held)
        #expect(await closing.value && !held.isUsable)

        let impatient = try self.pool(1)
        let busy = try await impatient.lease(timeout: .seconds(5))
        #expect(await impatient.close(drainingFor: .milliseconds(20)) == false)
        let refused = try #require(throws: PostgresError.self) { try busy.query("SELECT 1") }
        #expect(refused.code == .cancelled)
        impatient.release(busy)
        #expect(impatient.state.withLock { $0.machine.isDrained })
    }
}
