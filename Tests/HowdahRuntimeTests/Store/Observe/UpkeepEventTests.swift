import Dispatch
import Foundation
import Howdah
import Synchronization
import TestSupport
import Testing

@testable import HowdahRuntime

/// Events of work that a container does for itself.
@Suite struct UpkeepEventTests {
    private static func reports(_ recorder: EventRecorder) -> [StoreEvent.HistoryReport] {
        recorder.events.compactMap { event in
            if case .history(let report) = event { report } else { nil }
        }
    }

    private static func until(_ condition: () -> Bool) async throws {
        for _ in 0..<6_000 {
            if condition() { return }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Waits until the container refuses new work, because its end has begun.
    private static func expectRefusal(_ container: PersistentContainer) async throws {
        var code: StoreError.Code?
        for _ in 0..<600 where code != .closed {
            do {
                try await container.perform(timeout: .milliseconds(100)) { _ in }
            } catch let error as StoreError {
                code = error.code
            }
        }
        #expect(code == .closed)
    }

    @Test func theKeeperReportsTheHistoryAndNoUnitsOfWork() async throws {
        let recorder = EventRecorder()
        var options = StoreOptions()
        options.observer = recorder
        try await HistoryStore.with(options: options) { store in
            _ = try await store.container.historyConsumer("search")
            try store.writer().write([1])
            recorder.clear()
            let keeper = HistoryKeeper(store.container.store, pause: .milliseconds(20), upkeep: .zero)
            keeper.start()
            try await Self.until {
                Self.reports(recorder).contains { ($0.consumers.first?.lag ?? .zero) > .zero }
            }
            await keeper.stop()
            let report = try #require(Self.reports(recorder).last)
            #expect(report.consumers.map(\.name) == ["search"])
            #expect(report.consumers[0].lag > .zero)
            #expect(report.bytes > 0)
            #expect(!recorder.summaries.contains { $0.hasPrefix("unit of work") })
            #expect(recorder.summaries.contains("wait"))
        }
    }

    /// Heartbeats go on while an observer has the report, and the end of the keeper does not wait for it.
    @Test(arguments: [true, false]) func theKeeperDoesNotWaitForObservers(isInReport: Bool) async throws {
        struct Slow: StoreObserver {
            let isInReport: Bool
            let isArmed = Box()
            let begun: DispatchSemaphore
            let ending: DispatchSemaphore
            final class Box: Sendable { let value = Atomic<Bool>(false) }
            func observe(_ event: StoreEvent) {
                switch event {
                case .history where isInReport: break
                case .statement where !isInReport && isArmed.value.load(ordering: .acquiring): break
                default: return
                }
                begun.signal()
                _ = ending.wait(timeout: .now() + 60)
            }
        }
        let (begun, ending) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        var options = StoreOptions()
        let observer = Slow(isInReport: isInReport, begun: begun, ending: ending)
        options.observer = observer
        try await HistoryStore.with(options: options) { store in
            let keeper = HistoryKeeper(store.container.store, pause: .milliseconds(20), upkeep: .zero)
            observer.isArmed.value.store(true, ordering: .releasing)
            keeper.start()
            await onThread { _ = begun.wait(timeout: .now() + 60) }
            if isInReport {
                let log = store.container.statementLog
                log.start()
                try await Self.until { log.events.count { $0.sql.contains("heartbeat") } > 2 }
            }
            let time = await ContinuousClock().measure { await keeper.stop(by: .now + .milliseconds(100)) }
            #expect(time < .seconds(30))
            observer.isArmed.value.store(false, ordering: .releasing)
            for _ in 0..<10 { ending.signal() }
        }
    }

    /// The last heartbeat follows the last saves, and no other work begins in the meantime.
    @Test func theLastHeartbeatFollowsTheUnitsThatTheEndWaitsFor() async throws {
        var options = StoreOptions()
        options.history = .enabled
        options.maximumConnections = 1
        try await withStore(Company.model(), options: options) { container, _ in
            let (begun, ending) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            async let unit: Void = container.perform { _ in
                begun.signal()
                _ = ending.wait(timeout: .now() + 60)
            }
            await onThread { _ = begun.wait(timeout: .now() + 60) }
            container.statementLog.start()
            async let end: Void = container.close(drainingFor: .seconds(60))
            try await Self.expectRefusal(container)
            let late = await #expect(throws: StoreError.self) {
                try await onThread { try container.newBackgroundContext().performAndWait { _ in } }
            }
            #expect(late?.code == .closed)
            // Longer than a heartbeat that waits for the unit.
            try await Task.sleep(for: .milliseconds(2_500))
            #expect(!container.statementLog.events.contains { $0.sql.contains("heartbeat") })
            ending.signal()
            try await unit
            await end
            #expect(container.statementLog.events.contains { $0.sql.contains("heartbeat") })
        }
    }

    /// The second end must not close the connection of the first one's heartbeat.
    @Test func twoEndsAtOnceWriteTheLastHeartbeat() async throws {
        var options = StoreOptions()
        options.history = .enabled
        for _ in 0..<5 {
            try await withStore(Company.model(), options: options) { container, _ in
                container.statementLog.start()
                async let first: Void = container.close(drainingFor: .seconds(60))
                async let second: Void = container.close(drainingFor: .seconds(60))
                _ = await (first, second)
                let beats = container.statementLog.events.filter { $0.sql.contains("heartbeat") }
                #expect(beats.contains { $0.error == nil }, "\(beats)")
            }
        }
    }

    /// `performAndWait` has no place, and the end waits for it nevertheless.
    @Test func theEndWaitsForWorkOnThreadsOfCallers() async throws {
        let recorder = EventRecorder()
        var options = StoreOptions()
        options.history = .enabled
        options.observer = recorder
        try await withStore(Company.model(), options: options) { container, _ in
            let (begun, ending) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let handle = container.newBackgroundContext()
            async let work: Int = onThread {
                try handle.performAndWait { context in
                    begun.signal()
                    _ = ending.wait(timeout: .now() + 60)
                    // Work inside of it goes on, also in another context.
                    try container.newBackgroundContext().performAndWait { _ = try $0.count(Employee.self) }
                    Employee(context: context).firstName = "late"
                    try context.save()
                    return try context.count(Employee.self)
                }
            }
            await onThread { _ = begun.wait(timeout: .now() + 60) }
            let waiter = Task { try await onThread { try handle.performAndWait { _ in } } }
            container.statementLog.start()
            async let end: Void = container.close(drainingFor: .seconds(60))
            try await Self.expectRefusal(container)
            ending.signal()
            #expect(try await work == 1)
            let error = await #expect(throws: StoreError.self) { try await waiter.value }
            #expect(error?.code == .closed)
            await end
            let last = container.statementLog.events.map(\.sql).filter { !$0.isEmpty }
            #expect(last.last?.contains("heartbeat") == true, "\(last)")
            recorder.clear()
            _ = try? await onThread { try handle.performAndWait { _ in } }
            #expect(recorder.summaries == ["unit of work: 0 runs"])
        }
    }

    @Test func withoutAnObserverTheKeeperDoesNotMeasure() async throws {
        try await HistoryStore.with { store in
            let log = store.container.statementLog
            log.start()
            let keeper = HistoryKeeper(store.container.store, pause: .milliseconds(20), upkeep: .zero)
            keeper.start()
            try await Self.until { log.events.count { $0.sql.contains("heartbeat") } > 2 }
            await keeper.stop()
            #expect(!log.events.contains { $0.sql.contains("pg_total_relation_size") })
        }
    }

    /// An observer's numbers are not the upkeep, which goes on without them.
    @Test func aFailedMeasurementIsNotAFailedUpkeep() async throws {
        let (recorder, log) = (EventRecorder(), LogRecorder())
        var options = StoreOptions()
        (options.observer, options.logger) = (recorder, log.logger)
        try await HistoryStore.with(options: options) { store in
            let table = HistoryStore.tables.consumer
            try store.execute("ALTER TABLE \(table) RENAME TO gone")
            let keeper = HistoryKeeper(
                store.container.store, pause: .milliseconds(20), upkeep: .seconds(3_600))
            keeper.start()
            func beats() -> Int {
                log.entries.count { $0.metadata["db.query.text"]?.contains("heartbeat") == true }
            }
            try await Self.until { log.entries.contains { $0.message.contains("not measured") } }
            let before = beats()
            try await Self.until { beats() > before + 2 }
            await keeper.stop()
            #expect(beats() > before + 2)
            #expect(Self.reports(recorder).isEmpty)
            #expect(log.entries.count { $0.message.contains("not measured") } == 1)
            #expect(!log.entries.contains { $0.message.contains("not maintained") })
        }
    }

    @Test func failedLooksForChangesAreEvents() async throws {
        let recorder = EventRecorder()
        var options = StoreOptions()
        options.observer = recorder
        try await HistoryStore.with(options: options) { store in
            let (container, state) = (store.container, HistoryStore.tables.state)
            let loop = Task { for try await _ in container.remoteChanges {} }
            try await Self.until { container.changeStreamStatus.timeSinceLastPoll != nil }
            try store.execute("ALTER TABLE \(state) RENAME TO gone")
            await #expect(throws: HistoryError.self) { try await loop.value }
            // The loop does not wait for observers.
            func hasEvent() -> Bool {
                recorder.events.contains { event in
                    guard case .changesNotFollowed(let error) = event else { return false }
                    return (error as? HistoryError)?.code == .noHistory
                }
            }
            try await Self.until(hasEvent)
            #expect(hasEvent())
        }
    }

    /// A blocked observer holds its unit of work, and no other one.
    @Test func anObserverThatBlocksHoldsOnlyItsUnitOfWork() async throws {
        let observer = BlockingObserver()
        var options = StoreOptions()
        options.observer = observer
        try await withStore(Company.model(), options: options) { container, _ in
            let blocked = Task {
                try await BlockingObserver.$blocks.withValue(true) {
                    try await container.perform { try $0.count(Employee.self) }
                }
            }
            try await Self.until { observer.isBlocking }
            for _ in 0..<3 { #expect(try await container.perform { try $0.count(Employee.self) } == 0) }
            // A cancelled task does not leave it either: the thread belongs to the observer.
            blocked.cancel()
            #expect(try await container.perform { try $0.count(Employee.self) } == 0)
            #expect(observer.isBlocking)
            observer.release()
            _ = try? await blocked.value
            #expect(!observer.isBlocking)
        }
    }
}

/// Blocks while it receives a statement of one task.
private final class BlockingObserver: StoreObserver {
    @TaskLocal static var blocks = false

    private let state = Mutex((isBlocking: false, isReleased: false))

    var isBlocking: Bool { state.withLock(\.isBlocking) }

    func release() { state.withLock { $0.isReleased = true } }

    func observe(_ event: StoreEvent) {
        guard Self.blocks, case .statement = event else { return }
        state.withLock { $0.isBlocking = true }
        while !state.withLock(\.isReleased) { Thread.sleep(forTimeInterval: 0.002) }
        state.withLock { $0.isBlocking = false }
    }
}
