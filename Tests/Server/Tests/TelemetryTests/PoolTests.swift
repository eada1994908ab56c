import Foundation
import Howdah
import HowdahTesting
import MetricsTestKit
import Synchronization
import Testing

/// The numbers of a pool whose connections are all in use.
@Suite struct PoolTests {
    /// Keeps a unit of work, and with it the only connection, until it is opened.
    private final class Gate: Sendable {
        let isHeld = Atomic<Bool>(false)
        let isReleased = Atomic<Bool>(false)
    }

    private static func until(_ condition: () -> Bool) async throws {
        for _ in 0..<6_000 where !condition() { try await Task.sleep(for: .milliseconds(10)) }
        #expect(condition())
    }

    /// The container is not released here, which would record zeros as well.
    @Test func aClosedContainerHasNoConnections() async throws {
        let metrics = TestMetrics()
        var options = StoreOptions()
        options.observer = StoreTelemetry(metrics: metrics, tracer: nil)
        func idle() -> Double? {
            metrics.meters.first {
                $0.label == "db.client.connection.count"
                    && $0.dimensions.contains { $0 == ("db.client.connection.state", "idle") }
            }?.values.last
        }
        try await withTemporaryStore(Shop.model(), options: options) { container in
            _ = try await container.perform {
                try $0.count(for: FetchRequest<ManagedObject>(entityName: "Employee"))
            }
            try await Self.until { idle() == 1 }
            await container.close()
            try await Self.until { idle() == 0 }
            withExtendedLifetime(container) {}
        }
    }

    /// A reading at each lease would find the connection used, however short its use.
    @Test func shortUseIsRarelyFound() async throws {
        let metrics = TestMetrics()
        var options = StoreOptions()
        options.observer = StoreTelemetry(metrics: metrics, tracer: nil)
        try await withTemporaryStore(Shop.model(), options: options) { container in
            for _ in 0..<50 {
                _ = try await container.perform {
                    try $0.count(for: FetchRequest<ManagedObject>(entityName: "Employee"))
                }
                try await Task.sleep(for: .milliseconds(100))
            }
        }
        let used = metrics.meters.filter {
            $0.label == "db.client.connection.count"
                && $0.dimensions.contains { $0 == ("db.client.connection.state", "used") }
        }.flatMap(\.values)
        #expect(used.count >= 3)
        #expect(used.count { $0 > 0 } * 2 < used.count, "\(used)")
    }

    /// The unit ends after its container, and so do the numbers of its connection.
    @Test func aContainerClosedDuringWorkHasNoConnections() async throws {
        let metrics = TestMetrics()
        var options = StoreOptions()
        options.observer = StoreTelemetry(metrics: metrics, tracer: nil)
        func last(_ state: String) -> [Double?] {
            metrics.meters.filter {
                $0.label == "db.client.connection.count"
                    && $0.dimensions.contains { $0 == ("db.client.connection.state", state) }
            }.map(\.values.last)
        }
        let gate = Gate()
        try await withTemporaryStore(Shop.model(), options: options) { container in
            let unit = Task {
                try await container.perform { context in
                    _ = try context.fetch("Employee")
                    gate.isHeld.store(true, ordering: .releasing)
                    while !gate.isReleased.load(ordering: .acquiring) {
                        Thread.sleep(forTimeInterval: 0.002)
                    }
                }
            }
            try await Self.until { last("used").contains(1) }
            await container.close(drainingFor: .zero)
            gate.isReleased.store(true, ordering: .releasing)
            _ = await unit.result
            try await Self.until { (last("used") + last("idle")).allSatisfy { $0 == 0 } }
            withExtendedLifetime(container) {}
        }
    }

    @Test func onlyWaitsWhoseTimeEndedAreTimeouts() async throws {
        let metrics = TestMetrics()
        var options = StoreOptions()
        (options.maximumConnections, options.maximumWaitingUnits) = (1, 1)
        options.observer = StoreTelemetry(metrics: metrics, tracer: nil)
        func timeouts() -> Int64 { metrics.counterTotal(label: "db.client.connection.timeouts") }
        func pending() -> [Double] {
            metrics.meters.filter { $0.label == "db.client.connection.pending_requests" }.flatMap(\.values)
        }
        func isPending(_ count: Double) -> Bool { pending().last == count }
        let gate = Gate()
        try await withTemporaryStore(Shop.model(), options: options) { container in
            @Sendable func count() async throws -> Int {
                try await container.perform {
                    try $0.count(for: FetchRequest<ManagedObject>(entityName: "Employee"))
                }
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    try await container.perform { context in
                        _ = try context.count(for: FetchRequest<ManagedObject>(entityName: "Employee"))
                        gate.isHeld.store(true, ordering: .releasing)
                        while !gate.isReleased.load(ordering: .acquiring) {
                            Thread.sleep(forTimeInterval: 0.002)
                        }
                    }
                }
                defer { gate.isReleased.store(true, ordering: .releasing) }
                try await Self.until { gate.isHeld.load(ordering: .acquiring) }
                await #expect(throws: StoreError.self) {
                    try await container.perform(timeout: .milliseconds(1)) { _ in }
                }
                #expect(timeouts() == 1)
                // The numbers of a moment in that wait may be the last ones yet, or those that come next.
                let known = pending().count
                try await Self.until { pending().count > known + 1 && isPending(0) }

                let waiting = Task { try await count() }
                try await Self.until { isPending(1) }
                // As many wait as may, so this one does not begin to.
                await #expect(throws: StoreError.self) { try await count() }
                #expect(timeouts() == 1)
                waiting.cancel()
                await #expect(throws: CancellationError.self) { try await waiting.value }
                #expect(timeouts() == 1)
                try await Self.until { isPending(0) }
            }
            #expect(try await count() == 0)
        }
        let waits = metrics.timers(label: "db.client.connection.wait_time").flatMap(\.values)
        #expect(!waits.isEmpty)
    }
}
