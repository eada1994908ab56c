import PQClient
import Synchronization

/// Passes a task's cancellation to the wait of its unit of work.
///
/// It may wait for a place, a context's turn, a connection, or a statement. An interrupt is here only while
/// the unit waits, so that a late cancellation cannot hit the connection's next user.
package final class CancellationRelay: Sendable {
    private struct State {
        var cancelled: ContinuousClock.Instant?
        var lastID = 0
        var interrupts: [(id: Int, end: @Sendable () -> Void)] = []
    }

    private let state = Mutex(State())

    /// The time of the cancellation.
    var cancelled: ContinuousClock.Instant? { state.withLock(\.cancelled) }

    var isCancelled: Bool { state.withLock { $0.cancelled != nil } }

    func cancel() {
        // Called under the lock: after `detach` the connection may serve another unit.
        state.withLock { state in
            state.cancelled = .now
            for interrupt in state.interrupts { interrupt.end() }
        }
    }

    /// Adds a closure that ends the wait; nil if the task is cancelled already.
    func attach(_ end: @escaping @Sendable () -> Void) -> Int? {
        state.withLock { state in
            if state.cancelled != nil { return nil }
            state.lastID += 1
            state.interrupts.append((state.lastID, end))
            return state.lastID
        }
    }

    /// Ends statements through their cancellers until the returned function is called.
    var cancelling: (Canceller) -> () -> Void {
        { [self] canceller in
            guard let id = attach({ canceller.cancelUnitOfWork() }) else {
                canceller.cancelUnitOfWork()
                return {}
            }
            return { self.detach(id) }
        }
    }

    func detach(_ id: Int) {
        state.withLock { state in
            guard state.interrupts.last?.id == id else { return state.interrupts.removeAll { $0.id == id } }
            state.interrupts.removeLast()
        }
    }
}
