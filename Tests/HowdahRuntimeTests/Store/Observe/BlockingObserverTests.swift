import Dispatch
import Foundation
import Howdah
import HowdahTesting
import Synchronization
import TestSupport
import Testing

/// Observers that block until other work is done hold up their own units of work only.
@Suite struct BlockingObserverTests {
    /// Waits, in the events of units of work, for a task that uses the container.
    private final class Waiting: StoreObserver {
        let container = Mutex<PersistentContainer?>(nil)
        let served = Atomic<Int>(0)
        let given = Atomic<Int>(0)
        let refused = Atomic<Int>(0)

        func observe(_ event: StoreEvent) {
            switch event {
            case .unitOfWork, .retry: break
            default: return
            }
            guard let container = container.withLock(\.self) else { return }
            let end = DispatchSemaphore(value: 0)
            Task {
                do {
                    _ = try await container.perform { try $0.count(Employee.self) }
                } catch {
                    refused.add(1, ordering: .relaxed)
                }
                end.signal()
            }
            if end.wait(timeout: .now() + 30) == .success {
                served.add(1, ordering: .relaxed)
            } else {
                given.add(1, ordering: .relaxed)
            }
        }
    }

    private struct Refusal: Error {}

    /// With more units than the process has threads for tasks, no task would run if they waited on these.
    @Test(arguments: [true, false]) func theyBlockNoThreadsOfTasks(succeeds: Bool) async throws {
        let observer = Waiting()
        let units = ProcessInfo.processInfo.activeProcessorCount * 2 + 2
        var options = StoreOptions()
        options.observer = observer
        options.maximumConnections = units * 2
        try await withStore(Company.model(), options: options) { container, _ in
            observer.container.withLock { $0 = container }
            await withTaskGroup { group in
                for _ in 0..<units {
                    group.addTask {
                        _ = try? await container.perform { context in
                            if !succeeds { throw Refusal() }
                            _ = try context.count(Employee.self)
                        }
                    }
                }
            }
            observer.container.withLock { $0 = nil }
        }
        #expect(observer.served.load(ordering: .relaxed) == units)
        #expect(observer.given.load(ordering: .relaxed) == 0)
    }

    private final class Ending: Sendable {
        let isOver = Atomic<Bool>(false)
    }

    private struct Silent: StoreObserver {
        func observe(_ event: StoreEvent) {}
    }

    /// Units that have no thread, or need theirs no more, do not wait for those that have one.
    @Test func unitsDoNotWaitForTheThreadsOfOthers() async throws {
        var options = StoreOptions()
        options.observer = Silent()
        options.maximumConnections = 2
        options.maximumWaitingUnits = 1
        options.connectionWait = .seconds(1)
        try await withStore(Company.model(), options: options) { container, _ in
            let ending = Ending()
            await withTaskGroup { group in
                let begun = AsyncStream<Void>.makeStream()
                for _ in 0..<2 {
                    group.addTask {
                        try? await container.perform { _ in
                            begun.continuation.yield()
                            while !ending.isOver.load(ordering: .acquiring) {
                                Thread.sleep(forTimeInterval: 0.01)
                            }
                        }
                    }
                }
                var both = begun.stream.makeAsyncIterator()
                for _ in 0..<2 { await both.next() }
                // Each ends by itself while the two are busy; if it waited for their threads, it would never end.
                await #expect(throws: StoreError.self) { try await container.perform { _ in } }
                await #expect(throws: StoreError.self) {
                    try await container.perform(timeout: .milliseconds(100)) { _ in }
                }
                await #expect(throws: StoreError.self) {
                    try await container.newBackgroundContext().perform { _ in }
                }
                let cancelled = Task { try await container.perform { _ in } }
                cancelled.cancel()
                await #expect(throws: CancellationError.self) { try await cancelled.value }
                ending.isOver.store(true, ordering: .releasing)
            }
        }
    }

    /// If observers wait for the container on all of its connections, they hear after a time that it is overloaded.
    @Test func observersThatTakeAllConnectionsHearOfIt() async throws {
        final class Asking: StoreObserver {
            let container = Mutex<PersistentContainer?>(nil)
            let codes = Mutex<[StoreError.Code?]>([])

            func observe(_ event: StoreEvent) {
                guard case .statement = event, let container = container.withLock(\.self) else { return }
                let end = DispatchSemaphore(value: 0)
                Task {
                    do {
                        _ = try await container.perform { try $0.count(Employee.self) }
                        codes.withLock { $0.append(nil) }
                    } catch {
                        codes.withLock { $0.append((error as? StoreError)?.code) }
                    }
                    end.signal()
                }
                end.wait()
            }
        }
        let observer = Asking()
        var options = StoreOptions()
        options.observer = observer
        options.maximumConnections = 1
        options.connectionWait = .milliseconds(500)
        try await withStore(Company.model(), options: options) { container, _ in
            observer.container.withLock { $0 = container }
            let count = try await container.perform { try $0.count(Employee.self) }
            #expect(count == 0)
            observer.container.withLock { $0 = nil }
        }
        #expect(observer.codes.withLock(\.self) == [.overloaded])
    }

    /// The calls of one observer may take all threads for events, and wait for work whose events another one receives.
    @Test func theWorkOfAnObserverHasThreadsForOtherObservers() async throws {
        let observer = Waiting()
        var options = StoreOptions()
        options.observer = StoreObservers([observer, Silent()])
        options.maximumConnections = 8
        try await withStore(Company.model(), options: options) { container, _ in
            observer.container.withLock { $0 = container }
            await withTaskGroup { group in
                for _ in 0..<80 {
                    group.addTask { _ = try? await container.perform { try $0.count(Employee.self) } }
                }
            }
            observer.container.withLock { $0 = nil }
        }
        #expect(observer.served.load(ordering: .relaxed) == 80)
    }

    /// The observer of a background context's unit can wait for the container, whose place the unit has left.
    @Test func aUnitLeavesItsPlaceBeforeItsEvent() async throws {
        let observer = Waiting()
        var options = StoreOptions()
        options.observer = observer
        options.maximumConnections = 1
        options.connectionWait = .milliseconds(500)
        try await withStore(Company.model(), options: options) { container, _ in
            observer.container.withLock { $0 = container }
            _ = try await container.newBackgroundContext().perform { try $0.count(Employee.self) }
            observer.container.withLock { $0 = nil }
        }
        #expect(observer.served.load(ordering: .relaxed) == 1)
        #expect(observer.refused.load(ordering: .relaxed) == 0)
    }

    /// An actor goes on where it would without an observer.
    @Test func callersLeaveTheThreadsOfObservers() async throws {
        actor Worker {
            func names(_ container: PersistentContainer) async throws -> Set<String> {
                var names: Set<String> = []
                for _ in 0..<20 {
                    _ = try? await container.perform { _ in throw Refusal() }
                    let name = try String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
                    names.insert(name.trimmingCharacters(in: .whitespacesAndNewlines))
                }
                return names
            }
        }
        var options = StoreOptions()
        options.observer = Silent()
        try await withStore(Company.model(), options: options) { container, _ in
            guard FileManager.default.fileExists(atPath: "/proc/thread-self/comm") else { return }
            let names = try await Worker().names(container)
            #expect(!names.contains("howdah-observer"), "\(names)")
        }
    }
}
