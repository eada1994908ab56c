import Dispatch
import Foundation
import Howdah
import HowdahTesting
import Synchronization
import TestSupport
import Testing

/// Observers that block until other work is done hold up their own units of work only.
@Suite(.timeLimit(.minutes(60))) struct BlockingObserverTests {
    /// Waits, in some of the events, for a task that uses the container.
    private final class Waiting: StoreObserver {
        let container = Mutex<PersistentContainer?>(nil)
        /// The results of the tasks; nil if one had none in time.
        let results = Mutex<[Result<Int, any Error>?]>([])
        private let isMeant: @Sendable (StoreEvent) -> Bool

        init(_ isMeant: @escaping @Sendable (StoreEvent) -> Bool) { self.isMeant = isMeant }

        var served: Int { results.withLock { $0.count { (try? $0?.get()) != nil } } }
        var codes: [StoreError.Code?] {
            results.withLock {
                $0.map { if case .failure(let error)? = $0 { (error as? StoreError)?.code } else { nil } }
            }
        }

        func observe(_ event: StoreEvent) {
            guard isMeant(event), let container = container.withLock(\.self) else { return }
            let (end, result) = (DispatchSemaphore(value: 0), Outcome())
            Task {
                do {
                    let count = try await container.perform { try $0.count(Employee.self) }
                    result.value.withLock { $0 = .success(count) }
                } catch {
                    result.value.withLock { $0 = .failure(error) }
                }
                end.signal()
            }
            _ = end.wait(timeout: .now() + 30)
            results.withLock { $0.append(result.value.withLock(\.self)) }
        }

        /// Observes the work in `body`.
        func observing(_ observed: PersistentContainer, _ body: () async throws -> Void) async rethrows {
            container.withLock { $0 = observed }
            defer { container.withLock { $0 = nil } }
            try await body()
        }
    }

    private final class Outcome: Sendable {
        let value = Mutex<Result<Int, any Error>?>(nil)
    }

    private static func isOfUnit(_ event: StoreEvent) -> Bool {
        switch event {
        case .unitOfWork, .retry: true
        default: false
        }
    }

    private struct Refusal: Error {}

    /// With more units than the process has threads for tasks, no task would run if they waited on these.
    @Test(arguments: [true, false]) func theyBlockNoThreadsOfTasks(succeeds: Bool) async throws {
        let observer = Waiting(Self.isOfUnit)
        let units = ProcessInfo.processInfo.activeProcessorCount * 2 + 2
        var options = StoreOptions()
        options.observer = observer
        options.maximumConnections = units * 2
        try await withStore(Company.model(), options: options) { container, _ in
            await observer.observing(container) {
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
            }
        }
        #expect(observer.served == units && observer.results.withLock(\.count) == units)
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
        let observer = Waiting { if case .statement = $0 { true } else { false } }
        var options = StoreOptions()
        options.observer = observer
        options.maximumConnections = 1
        options.connectionWait = .milliseconds(500)
        try await withStore(Company.model(), options: options) { container, _ in
            try await observer.observing(container) {
                let count = try await container.perform { try $0.count(Employee.self) }
                #expect(count == 0)
            }
        }
        #expect(observer.codes == [.overloaded])
    }

    /// The calls of one observer may take all threads for events, and wait for work whose events another one receives.
    @Test func theWorkOfAnObserverHasThreadsForOtherObservers() async throws {
        let observer = Waiting(Self.isOfUnit)
        var options = StoreOptions()
        options.observer = StoreObservers([observer, Silent()])
        options.maximumConnections = 8
        try await withStore(Company.model(), options: options) { container, _ in
            await observer.observing(container) {
                await withTaskGroup { group in
                    for _ in 0..<80 {
                        group.addTask { _ = try? await container.perform { try $0.count(Employee.self) } }
                    }
                }
            }
        }
        #expect(observer.served == 80)
    }

    /// The observer of a background context's unit can wait for the container, whose place the unit has left.
    @Test func aUnitLeavesItsPlaceBeforeItsEvent() async throws {
        let observer = Waiting(Self.isOfUnit)
        var options = StoreOptions()
        options.observer = observer
        options.maximumConnections = 1
        options.connectionWait = .milliseconds(500)
        try await withStore(Company.model(), options: options) { container, _ in
            try await observer.observing(container) {
                _ = try await container.newBackgroundContext().perform { try $0.count(Employee.self) }
            }
        }
        #expect(observer.served == 1 && observer.codes == [nil])
    }

    /// What an observer stores is no part of the unit that it observes, which is run again as without an observer.
    @Test(arguments: [nil, Isolation.serializable]) func theSavesOfObserversAreTheirOwn(isolation: Isolation?)
        async throws
    {
        final class Audit: StoreObserver {
            let handle = Mutex<BackgroundContext?>(nil)
            let failures = Mutex<[String]>([])
            func observe(_ event: StoreEvent) {
                guard case .statement(let statement) = event, statement.error != nil,
                    let handle = handle.withLock(\.self)
                else { return }
                do {
                    try handle.performAndWait { context in
                        Employee(context: context).firstName = "audit"
                        try context.save()
                    }
                } catch {
                    failures.withLock { $0.append("\(error)") }
                }
            }
        }
        let audit = Audit()
        var options = StoreOptions()
        options.observer = audit
        options.maximumConnections = 4
        try await withStore(Company.model()) { journal, _ in
            audit.handle.withLock { $0 = journal.newBackgroundContext() }
            try await withStore(Company.model(), options: options) { container, sql in
                try sql.rows(
                    "CREATE FUNCTION fail() RETURNS text LANGUAGE plpgsql AS "
                        + "'BEGIN RAISE EXCEPTION ''lost'' USING ERRCODE = ''40001''; END'")
                let runs = Mutex(0)
                let unit: @Sendable (ManagedObjectContext) throws -> Void = { context in
                    let run = runs.withLock { runs in
                        runs += 1
                        return runs
                    }
                    if run == 1 { _ = try context.fetchRows(String.self, sql: "SELECT public.fail()") }
                }
                if let isolation {
                    try await container.perform(isolation: isolation, retrying: .conflicts(upTo: 3)) {
                        try unit($0)
                    }
                } else {
                    try await container.perform(retrying: .conflicts(upTo: 3)) { try unit($0) }
                }
                #expect(runs.withLock(\.self) == 2)
            }
            #expect(audit.failures.withLock(\.self) == [])
            let stored = try await journal.perform { try $0.count(Employee.self) }
            #expect(stored == 1)
        }
    }

    /// The observer of a refused unit can wait for other units of the same context.
    @Test func aRefusedUnitLeavesItsTurnBeforeItsEvent() async throws {
        let (isObserved, others) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        struct Holding: StoreObserver {
            let isObserved: DispatchSemaphore
            let others: DispatchSemaphore
            func observe(_ event: StoreEvent) {
                guard case .poolWait(let wait) = event, wait.error != nil else { return }
                isObserved.signal()
                _ = others.wait(timeout: .now() + 30)
            }
        }
        var options = StoreOptions()
        options.observer = Holding(isObserved: isObserved, others: others)
        options.maximumConnections = 1
        options.connectionWait = .milliseconds(300)
        try await withStore(Company.model(), options: options) { container, _ in
            let handle = container.newBackgroundContext()
            let (begun, ending) = (AsyncStream<Void>.makeStream(), Ending())
            async let holder: Void = container.perform { _ in
                begun.continuation.yield()
                while !ending.isOver.load(ordering: .acquiring) { Thread.sleep(forTimeInterval: 0.01) }
            }
            var iterator = begun.stream.makeAsyncIterator()
            await iterator.next()
            async let refused = #expect(throws: StoreError.self) { try await handle.perform { _ in } }
            await onThread { _ = isObserved.wait(timeout: .now() + 30) }
            ending.isOver.store(true, ordering: .releasing)
            try await holder
            // With the turn, it would wait until the observer gives up.
            let count = try await handle.perform(timeout: .seconds(10)) { try $0.count(Employee.self) }
            #expect(count == 0)
            others.signal()
            #expect(await refused?.code == .overloaded)
        }
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
