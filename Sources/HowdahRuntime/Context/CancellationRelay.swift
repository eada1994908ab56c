import PQClient
import Synchronization

/// Carries a task's cancellation to whatever statement its unit of work is running.
///
/// The connection's canceller is here only while the unit holds the connection, so that a late cancellation
/// cannot hit the connection's next user.
final class CancellationRelay: Sendable {
    private struct State {
        var isCancelled = false
        var canceller: Canceller?
    }

    private let state = Mutex(State())

    var isCancelled: Bool { state.withLock(\.isCancelled) }

    func cancel() {
        // Asked under the lock: after `detach` the connection may serve somebody else. Statements that the unit
        // has still to send are refused as well.
        state.withLock { state in
            state.isCancelled = true
            state.canceller?.cancelUnitOfWork()
        }
    }

    /// Begins to relay; false where the task is cancelled already.
    func attach(_ canceller: Canceller) -> Bool {
        state.withLock { state in
            if state.isCancelled { return false }
            state.canceller = canceller
            return true
        }
    }

    func detach() { state.withLock { $0.canceller = nil } }
}
