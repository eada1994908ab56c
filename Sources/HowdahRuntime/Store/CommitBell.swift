import Synchronization

/// Wakes streams of the history when a context of the same container has committed.
///
/// It costs one atomic read if there are none.
final class CommitBell: Sendable {
    private let listeners = Mutex<[ObjectIdentifier: CommitWaiter]>([:])
    private let count = Atomic<Int>(0)

    /// Wakes the listeners, now or at their next wait.
    func ring() {
        guard count.load(ordering: .acquiring) > 0 else { return }
        for listener in listeners.withLock({ Array($0.values) }) { listener.ring() }
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

/// One listener of a ``CommitBell``, for one task.
final class CommitWaiter: Sendable {
    private struct State {
        var isRung = false
        var waiting: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    /// Ends the wait of the listener, or its next one.
    func ring() { wake(isRung: true) }

    /// Waits until the bell rings, some time has passed, or the task is cancelled.
    nonisolated(nonsending) func wait(atMost time: Duration) async {
        let timer = Task { [weak self] in
            guard (try? await Task.sleep(for: time)) != nil else { return }
            self?.wake(isRung: false)
        }
        defer { timer.cancel() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.isRung || Task.isCancelled {
                        state.isRung = false
                        return true
                    }
                    state.waiting = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            wake(isRung: false)
        }
    }

    private func wake(isRung: Bool) {
        let waiting = state.withLock { state in
            let waiting = state.waiting
            state.waiting = nil
            state.isRung = isRung && waiting == nil || state.isRung && waiting == nil
            return waiting
        }
        waiting?.resume()
    }
}
