import Dispatch
import Foundation
import Howdah
import HowdahRuntime
import Synchronization
import TestSupport
import Testing

/// The times of units of work do not contain those of observers.
@Suite struct QueueTimeTests {
    /// Takes two seconds for each event that comes while a unit waits.
    private final class Slow: StoreObserver {
        private let waits = Mutex<[Duration]>([])
        private let units = Mutex<[StoreEvent.UnitOfWorkReport]>([])

        var wait: Duration? { waits.withLock(\.first) }
        var unit: StoreEvent.UnitOfWorkReport? { units.withLock(\.first) }

        func observe(_ event: StoreEvent) {
            switch event {
            case .poolWait(let wait) where wait.error != nil:
                waits.withLock { $0.append(wait.duration) }
                Thread.sleep(forTimeInterval: 2)
            case .retry: Thread.sleep(forTimeInterval: 2)
            case .unitOfWork(let unit): units.withLock { $0.append(unit) }
            default: break
            }
        }
    }

    @Test(arguments: [false, true]) func aRefusedUnitWaitsWithoutObservers(ofAHandle: Bool) async throws {
        let observer = Slow()
        var options = StoreOptions()
        options.observer = observer
        options.maximumConnections = 1
        options.connectionWait = .milliseconds(200)
        try await withStore(Company.model(), options: options) { container, _ in
            let handle = container.newBackgroundContext()
            try await container.perform { _ in
                let waiter = Task {
                    if ofAHandle {
                        try await handle.perform { _ in }
                    } else {
                        try await container.perform { _ in }
                    }
                }
                let end = ContinuousClock.now + .seconds(60)
                while observer.unit == nil, .now < end { Thread.sleep(forTimeInterval: 0.01) }
                waiter.cancel()
            }
            let wait = try #require(observer.wait)
            let unit = try #require(observer.unit)
            #expect(unit.error is StoreError)
            #expect(unit.queueTime >= wait)
            #expect(unit.queueTime < wait + .seconds(2))
            #expect(unit.duration == unit.queueTime)
        }
    }

    /// `performAndWait` has no place, so a unit can wait for its connection in the body.
    @Test func aWaitInTheBodyIsInTheQueueTime() async throws {
        final class Times: StoreObserver {
            let times = Mutex<(waits: Duration, queue: Duration)>((.zero, .zero))

            func observe(_ event: StoreEvent) {
                switch event {
                case .poolWait(let wait): times.withLock { $0.waits += wait.duration }
                case .unitOfWork(let unit): times.withLock { $0.queue += unit.queueTime }
                default: break
                }
            }
        }
        let observer = Times()
        var options = StoreOptions()
        options.observer = observer
        options.maximumConnections = 1
        try await withStore(Company.model(), options: options) { container, _ in
            let begun = DispatchSemaphore(value: 0)
            async let holder: Void = onThread {
                try container.newBackgroundContext().performAndWait { context in
                    _ = try context.count(Employee.self)
                    begun.signal()
                    Thread.sleep(forTimeInterval: 0.3)
                }
            }
            await onThread { _ = begun.wait(timeout: .now() + 60) }
            _ = try await container.perform { try $0.count(Employee.self) }
            try await holder
            let times = observer.times.withLock(\.self)
            #expect(times.waits > .zero)
            #expect(times.queue >= times.waits)
        }
    }

    @Test func aRepeatedUnitWaitsWithoutObservers() async throws {
        let observer = Slow()
        var options = StoreOptions()
        options.observer = observer
        try await withStore(Company.model(), options: options) { container, sql in
            try sql.rows(
                "CREATE FUNCTION fail() RETURNS text LANGUAGE plpgsql AS "
                    + "'BEGIN RAISE EXCEPTION ''lost'' USING ERRCODE = ''40001''; END'")
            let runs = Mutex(0)
            try await container.perform(retrying: .conflicts(upTo: 2)) { context in
                let isFirst = runs.withLock { runs in
                    runs += 1
                    return runs == 1
                }
                if isFirst { _ = try context.fetchRows(String.self, sql: "SELECT public.fail()") }
            }
            let unit = try #require(observer.unit)
            #expect(unit.runs == 2)
            #expect(unit.duration >= .seconds(2))
            #expect(unit.queueTime < unit.duration - .seconds(2))
        }
    }
}
