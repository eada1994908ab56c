import Synchronization

/// The streams of a store that run outside of any unit of work, so that closing the container ends them.
final class StreamRegistry: Sendable {
    private struct State {
        var isEnded = false
        var endings: [Int: @Sendable () -> Void] = [:]
        var next = 0
    }

    private let state = Mutex(State())

    /// The number of running streams.
    var count: Int { state.withLock(\.endings.count) }

    /// Adds a stream, which `ending` ends; returns nil if the container was closed.
    func add(_ ending: @escaping @Sendable () -> Void) -> Int? {
        state.withLock { state in
            if state.isEnded { return nil }
            state.next += 1
            state.endings[state.next] = ending
            return state.next
        }
    }

    /// Removes a stream that ended.
    func remove(_ number: Int) { state.withLock { $0.endings[number] = nil } }

    /// Ends all streams, and refuses new ones from now on.
    func end() {
        let endings = state.withLock { state in
            state.isEnded = true
            defer { state.endings = [:] }
            return Array(state.endings.values)
        }
        for ending in endings { ending() }
    }
}
