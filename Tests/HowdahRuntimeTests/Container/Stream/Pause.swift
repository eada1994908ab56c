import Synchronization

/// A wait that nothing but ``end()`` ends, not even cancellation.
final class Pause: Sendable {
    private struct State {
        var isOver = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    func wait() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if !state.isOver { state.waiters.append(continuation) }
                return state.isOver
            }
            if isOver { continuation.resume() }
        }
    }

    func end() {
        let waiters = state.withLock { state in
            state.isOver = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }
}
