import Foundation
import Howdah
import HowdahTesting
import Synchronization
import Testing

/// Bodies block threads of the container, never those that Swift's tasks share.
@Suite(.timeLimit(.minutes(60))) struct WorkerThreadTests {
    @Test func sixtyFourBodiesBlockWhileAnotherTaskGoesOn() async throws {
        // However long four threads need to begin on a busy machine.
        var options = StoreOptions()
        options.connectionWait = .seconds(600)
        try await CompanyStore.with(connections: 4, options: options) { store in
            let latch = Latch()
            let gauge = Gauge()
            let container = store.container
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<64 {
                    group.addTask {
                        try await container.perform { _ in
                            gauge.enter()
                            latch.wait()
                            gauge.leave()
                        }
                    }
                }
                group.addTask {
                    try await latch.untilWaiting(4)
                    latch.open()
                }
                try await group.waitForAll()
            }
            #expect(gauge.most == 4)
        }
    }

    @Test func aHeartbeatGoesOnWhileStatementsWait() async throws {
        // However long a heartbeat takes on a busy machine.
        var options = StoreOptions()
        (options.statementTimeout, options.connectionWait) = (nil, .seconds(600))
        try await CompanyStore.with(connections: 8, options: options) { store in
            let lock = try EmployeeLock(store)
            let container = store.container
            let waiting = (0..<8).map { _ in
                Task { try await container.perform { try $0.count(Employee.self) } }
            }
            try await store.untilBlocked(8)
            // Blocked shared threads would stop the heart for good: the lock is released only after it.
            for _ in 0..<200 { try await Task.sleep(for: .milliseconds(1)) }
            lock.release()
            for task in waiting { #expect(try await task.value == 0) }
        }
    }
}

/// How many are inside at most at the same time.
private final class Gauge: Sendable {
    private struct State {
        var inside = 0
        var most = 0
    }

    private let state = Mutex(State())

    var most: Int { state.withLock(\.most) }

    func enter() {
        state.withLock {
            $0.inside += 1
            $0.most = max($0.most, $0.inside)
        }
    }

    func leave() { state.withLock { $0.inside -= 1 } }
}
