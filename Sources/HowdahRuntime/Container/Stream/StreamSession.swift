import Synchronization

/// The state of a stream's concurrent part: whether it is running, and the time of its last progress.
package final class StreamSession: Sendable {
    /// The end of a session.
    enum Outcome: Sendable {
        /// Its body returned, or threw an error.
        case finished
        /// Another event ended it; its body may still run until its source or client reacts.
        case interrupted(any Error)
    }

    private struct State {
        var outcome: Outcome?
        var waiter: CheckedContinuation<Outcome, Never>?
        var lastProgress = ContinuousClock.now
    }

    /// The maximum sleep of the watch, so that no duration is too long for the clock.
    private static let longestSleep = Duration.seconds(86_400)

    private let state = Mutex(State())

    /// Records that the source sent data, or that the client accepted data.
    ///
    /// - Throws: `CancellationError` if the session has ended.
    package func advance() throws {
        state.withLock { $0.lastProgress = .now }
        try check()
    }

    /// - Throws: `CancellationError` if the session has ended.
    package func check() throws {
        if state.withLock({ $0.outcome != nil }) { throw CancellationError() }
    }

    /// Ends the session. Only the first call counts.
    func end(_ outcome: Outcome) {
        let waiter = state.withLock { state in
            if state.outcome != nil { return nil as CheckedContinuation<Outcome, Never>? }
            state.outcome = outcome
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(returning: outcome)
    }

    /// Waits until the session ends; call it once.
    func outcome() async -> Outcome {
        await withCheckedContinuation { continuation in
            let outcome = state.withLock { state in
                if state.outcome == nil { state.waiter = continuation }
                return state.outcome
            }
            if let outcome { continuation.resume(returning: outcome) }
        }
    }

    /// Ends the session with `error` as soon as it has not advanced for `timeout`; returns when the session
    /// or the task ends.
    func watch(_ timeout: Duration, _ error: StoreError) async {
        while let last = state.withLock({ $0.outcome == nil ? $0.lastProgress : nil }) {
            let rest = timeout - last.duration(to: .now)
            if rest <= .zero { return end(.interrupted(error)) }
            let sleep = min(rest, Self.longestSleep)
            let start = ContinuousClock.now
            do {
                try await Task.sleep(for: sleep)
            } catch {
                return
            }
            // Then the process itself was paused or overloaded, and the other side could not be heard.
            let isLate = start.duration(to: .now) > sleep + timeout / 4
            if isLate { state.withLock { $0.lastProgress = .now } }
        }
    }
}
