import Synchronization

/// Sends notices to listeners; costs one atomic read if there are none.
final class NoticeBoard<Notice: Sendable>: Sendable {
    /// The number of notices that may wait for a listener before it is ended.
    private static var capacity: Int { 1_000 }

    private struct State {
        var next = 0
        var isFinished = false
        var listeners: [Int: AsyncStream<Notice>.Continuation] = [:]
    }

    private let state = Mutex(State())
    private let count = Atomic<Int>(0)

    deinit { finish() }

    var hasListeners: Bool { count.load(ordering: .acquiring) > 0 }

    /// Returns the notices from now on, for one listener.
    func listen() -> Notices<Notice> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Notice.self, bufferingPolicy: .bufferingOldest(Self.capacity))
        let place = state.withLock { state in
            state.next += 1
            return state.next
        }
        continuation.onTermination = { [weak self] _ in self?.forget(place) }
        let isOpen = state.withLock { state in
            guard !state.isFinished else { return false }
            state.listeners[place] = continuation
            count.store(state.listeners.count, ordering: .releasing)
            return true
        }
        if !isOpen { continuation.finish() }
        return Notices(stream)
    }

    /// Sends a notice, and ends listeners that are too far behind, so that none continues with a gap.
    func send(_ notice: Notice) {
        guard hasListeners else { return }
        let slow = state.withLock { state in
            state.listeners.values.filter { listener in
                if case .dropped = listener.yield(notice) { return true }
                return false
            }
        }
        for listener in slow { listener.finish() }
    }

    /// Ends all listeners, and later ones at once.
    func finish() {
        let listeners = state.withLock { state in
            state.isFinished = true
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.finish() }
    }

    private func forget(_ place: Int) {
        state.withLock { state in
            state.listeners[place] = nil
            count.store(state.listeners.count, ordering: .releasing)
        }
    }
}
