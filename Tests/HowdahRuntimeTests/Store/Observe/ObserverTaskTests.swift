import Foundation
import Howdah
import HowdahTesting
import Synchronization
import TestSupport
import Testing

@testable import HowdahRuntime

/// Observers that use their container in tasks, which must not observe that use.
@Suite struct ObserverTaskTests {
    /// Counts employees in a task for each unit of work, as an observer does that stores what it sees.
    private final class Storing: StoreObserver {
        /// The way in which the task starts its work.
        enum Way: CaseIterable { case task, taskInTask, childTask }

        let container = Mutex<PersistentContainer?>(nil)
        let started = Atomic<Int>(0)
        let finished = Atomic<Int>(0)
        private let way: Way

        init(_ way: Way) { self.way = way }

        func observe(_ event: StoreEvent) {
            guard case .unitOfWork = event, let container = container.withLock(\.self) else { return }
            started.add(1, ordering: .sequentiallyConsistent)
            Task {
                switch way {
                case .task: await use(container)
                case .taskInTask: await Task { await use(container) }.value
                case .childTask:
                    await withTaskGroup { group in group.addTask { await self.use(container) } }
                }
                finished.add(1, ordering: .sequentiallyConsistent)
            }
        }

        private func use(_ container: PersistentContainer) async {
            _ = try? await container.perform { try $0.count(Employee.self) }
        }

        /// Suspends until this many tasks have ended. If they had been observed, as many others would have started.
        func untilFinished(_ count: Int) async throws {
            for _ in 0..<6_000 where finished.load(ordering: .sequentiallyConsistent) < count {
                try await Task.sleep(for: .milliseconds(10))
            }
        }
    }

    @Test(arguments: Storing.Way.allCases)
    private func workOfAnObserversTasksIsNotObserved(by way: Storing.Way) async throws {
        let (storing, recorder) = (Storing(way), EventRecorder())
        var options = StoreOptions()
        options.observer = StoreObservers([storing, recorder])
        try await withStore(Company.model(), options: options) { container, _ in
            storing.container.withLock { $0 = container }
            defer { storing.container.withLock { $0 = nil } }
            recorder.clear()
            for _ in 0..<3 { _ = try await container.perform { try $0.count(Employee.self) } }
            try await storing.untilFinished(3)
            #expect(storing.started.load(ordering: .sequentiallyConsistent) == 3)
            // Another observer sees the work, and later units are observed as before.
            #expect(recorder.summaries.count { $0.hasPrefix("unit of work") } == 6)
            _ = try await container.perform { try $0.count(Employee.self) }
            try await storing.untilFinished(4)
            #expect(storing.started.load(ordering: .sequentiallyConsistent) == 4)
        }
    }

    /// Two observers that store what they see do not keep each other busy either.
    @Test func observersDoNotObserveEachOtherWithoutEnd() async throws {
        let (first, second) = (Storing(.task), Storing(.task))
        var options = StoreOptions()
        options.observer = StoreObservers([first, second])
        try await withStore(Company.model(), options: options) { container, _ in
            for storing in [first, second] { storing.container.withLock { $0 = container } }
            defer { for storing in [first, second] { storing.container.withLock { $0 = nil } } }
            _ = try await container.perform { try $0.count(Employee.self) }
            // The unit's own event, and that of the other's task.
            try await first.untilFinished(2)
            try await second.untilFinished(2)
            #expect(first.started.load(ordering: .sequentiallyConsistent) == 2)
            #expect(second.started.load(ordering: .sequentiallyConsistent) == 2)
        }
    }

    /// A thread without a task has task-local values, too.
    @Test func threadsWithoutATaskAreGuardedAlike() async throws {
        let storing = Storing(.task)
        var options = StoreOptions()
        options.observer = storing
        try await withStore(Company.model(), options: options) { container, _ in
            storing.container.withLock { $0 = container }
            defer { storing.container.withLock { $0 = nil } }
            await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    let context = container.newBackgroundContext()
                    _ = try? context.performAndWait { try $0.count(Employee.self) }
                    continuation.resume()
                }
            }
            try await storing.untilFinished(1)
            #expect(storing.started.load(ordering: .sequentiallyConsistent) == 1)
        }
    }
}
