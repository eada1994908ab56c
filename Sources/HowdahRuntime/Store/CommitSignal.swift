import Synchronization

/// Wakes streams of the history when a context of the same container has committed.
///
/// It costs one atomic read if there are none.
final class CommitSignal: Sendable {
    private let listeners = Mutex<[ObjectIdentifier: CommitWaiter]>([:])
    private let count = Atomic<Int>(0)

    /// Wakes the listeners, now or at their next wait.
    func notify() {
        guard count.load(ordering: .acquiring) > 0 else { return }
        for listener in listeners.withLock({ Array($0.values) }) { listener.notify() }
    }

    /// Returns a listener, which must be passed to ``forget(_:)``.
    func listen() -> CommitWaiter {
        let listener = CommitWaiter()
        listeners.withLock { listeners in
            listeners[ObjectIdentifier(listener)] = listener
            count.store(listeners.count, ordering: .releasing)
        }
        return listener
    }

    func forget(_ listener: CommitWaiter) {
        listeners.withLock { listeners in
            listeners[ObjectIdentifier(listener)] = nil
            count.store(listeners.count, ordering: .releasing)
        }
    }
}

/// One listener of a ``CommitSignal``, for one task.
final class CommitWaiter: Sendable {
    private struct State {
        var isNotified = false
        var waiting: CheckedContinuation<Void, Never>?
        /// The number of the present or next wait, by which the timer of a former one is recognised.
        var wait = 0
        /// Indicates whether the time of the present wait is over.
        var isLate = false

        mutating func release() -> CheckedContinuation<Void, Never>? {
            defer { waiting = nil }
            return waiting
        }
    }

    private let state = Mutex(State())

    /// Ends the wait of the listener, or its next one.
    func notify() {
        state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.isNotified = state.waiting == nil
            return state.release()
        }?.resume()
    }

    /// Waits until it is notified, some time has passed, or the task is cancelled.
    nonisolated(nonsending) func wait(atMost time: Duration) async {
        let number = state.withLock { state in
            state.wait += 1
            state.isLate = false
            return state.wait
        }
        let timer = Task { [weak self] in
            guard (try? await Task.sleep(for: time)) != nil else { return }
            self?.end(number)
        }
        defer { timer.cancel() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    // The timer may be faster than this.
                    if state.isNotified || state.isLate || Task.isCancelled {
                        state.isNotified = false
                        return true
                    }
                    state.waiting = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            end(number)
        }
    }

    /// Ends a wait, whether it has begun or not.
    private func end(_ number: Int) {
        state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.wait == number else { return nil }
            state.isLate = true
            return state.release()
        }?.resume()
    }
}
