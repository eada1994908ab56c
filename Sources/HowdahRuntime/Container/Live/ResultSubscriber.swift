import HowdahModel
import Synchronization

/// One follower of a result: what it was given last, and what changed since.
///
/// It holds no changes but the ids of changed objects, so one who does not ask costs little.
final class ResultSubscriber: Sendable {
    private struct State {
        var changed: ResultState.Changed = [:]
        /// Indicates whether the next update is the whole result.
        var isReset = true
    }

    let result: FollowedResult
    /// Wakes the follower when the result may have changed.
    let waiter = CommitWaiter()
    private let results: FollowedResults
    private let state = Mutex(State())

    init(_ result: FollowedResult, in results: FollowedResults) {
        self.result = result
        self.results = results
    }

    deinit { results.remove(self) }

    /// Returns the result with all changes that are marked now, and the objects that changed since the last call; nil
    /// for all.
    func evaluated() async throws -> (version: FollowedResult.Version, changed: ResultState.Changed?) {
        try await result.evaluated(for: self, in: results)
    }

    /// Notes the objects with other values; nil for all.
    func note(_ changed: ResultState.Changed?) {
        state.withLock { state in
            guard !state.isReset else { return }
            guard let changed, state.changed.count + changed.count <= ResultChanges.capacity else {
                state = State()
                return
            }
            state.changed.merge(changed) { known, new in
                known.flatMap { known in new.map { known.union($0) } }
            }
        }
    }

    /// Returns the changes since the last time; nil if the whole result is due.
    func take() -> ResultState.Changed? {
        state.withLock { state in
            defer { state = State(changed: [:], isReset: false) }
            return state.isReset ? nil : state.changed
        }
    }
}
