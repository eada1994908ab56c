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

        func observe(_ event: StoreEvent) {
            switch event {
            case .unitOfWork, .retry: break
            default: return
            }
            guard let container = container.withLock(\.self) else { return }
            let end = DispatchSemaphore(value: 0)
            Task {
                _ = try? await container.perform { try $0.count(Employee.self) }
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
}
