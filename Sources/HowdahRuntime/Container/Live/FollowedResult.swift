import HowdahModel
import Synchronization

/// A followed result that all subscribers with one request and principal share.
///
/// Changes of the store only mark it. It is evaluated when a subscriber asks, once for all of them.
final class FollowedResult: Sendable {
    /// The result at one evaluation.
    struct Version: Sendable {
        var number = 0
        var list = ResultList<ObjectID<ManagedObject>>()
    }

    private struct State {
        var changes = ResultChanges()
        var rows: ResultState?
        var version = Version()
        /// The number of the last evaluation that began.
        var run = 0
        var isRunning = false
        /// The last evaluation, if it failed.
        var failure: (run: Int, error: any Error)?
        var subscribers: [ObjectIdentifier: WeakSubscriber] = [:]

        /// The subscribers. The caller releases them outside of the lock.
        var present: [ResultSubscriber] { subscribers.values.compactMap(\.subscriber) }
    }

    private struct WeakSubscriber: Sendable {
        weak let subscriber: ResultSubscriber?
    }

    let request: ResultRequest
    private let state = Mutex(State())

    init(_ request: ResultRequest) { self.request = request }

    // MARK: Subscribers

    func add(_ subscriber: ResultSubscriber) {
        state.withLock {
            $0.subscribers[ObjectIdentifier(subscriber)] = WeakSubscriber(subscriber: subscriber)
        }
    }

    /// Removes a subscriber; true if it was the last one.
    func remove(_ subscriber: ResultSubscriber) -> Bool {
        state.withLock { state in
            state.subscribers[ObjectIdentifier(subscriber)] = nil
            return state.subscribers.isEmpty
        }
    }

    // MARK: Changes

    /// Adds changes of the store, and wakes the subscribers if there are any.
    func mark(_ change: (inout ResultChanges) -> Void) {
        let isMarked = state.withLock { state in
            change(&state.changes)
            return !state.changes.isEmpty
        }
        if isMarked { wake() }
    }

    /// Wakes the subscribers.
    func wake() {
        for subscriber in state.withLock(\.present) { subscriber.waiter.notify() }
    }

    /// Indicates whether a row is among those that are known, shown or not, or may be when a running evaluation ends.
    func knows(_ key: Int64) -> Bool {
        state.withLock { $0.isRunning || $0.rows?.knows(key) ?? true }
    }

    /// The number of evaluations so far.
    var versionNumber: Int { state.withLock(\.version.number) }

    // MARK: Evaluation

    /// The place of a subscriber that waits for an evaluation.
    private enum Step {
        case done(Version, ResultState.Changed?)
        case waiting(run: Int)
    }

    /// Returns the result with all changes that are marked now, and the objects that changed since the subscriber asked
    /// last; nil for all.
    ///
    /// The evaluation goes on if the subscriber that asked is cancelled, as others may wait for it too.
    func evaluated(
        for subscriber: ResultSubscriber, in results: FollowedResults
    ) async throws -> (version: Version, changed: ResultState.Changed?) {
        var awaited = Int.max
        while true {
            try Task.checkCancellation()
            switch try step(subscriber, awaited, results) {
            case .done(let version, let changed): return (version, changed)
            case .waiting(let run):
                awaited = min(awaited, run)
                await subscriber.waiter.wait(atMost: .seconds(60))
            }
        }
    }

    private func step(
        _ subscriber: ResultSubscriber, _ awaited: Int, _ results: FollowedResults
    ) throws -> Step {
        try state.withLock { state in
            if let failure = state.failure, failure.run >= awaited { throw failure.error }
            guard !state.isRunning else { return .waiting(run: state.run) }
            guard state.rows == nil || !state.changes.isEmpty else {
                // Together, so that no change is taken before the result that has it.
                return .done(state.version, subscriber.take())
            }
            (state.run, state.isRunning) = (state.run + 1, true)
            let (changes, rows, run) = (state.changes, state.rows, state.run)
            state.changes = ResultChanges()
            // It is for all subscribers, so it must not be part of the trace of the one that asked first.
            Task.detached(priority: Task.currentPriority) { [self] in
                await results.observingEvaluation(of: request.key.entity) { [self] in
                    await evaluate(changes, rows, run, in: results)
                }
            }
            return .waiting(run: run)
        }
    }

    /// - Returns: The error of the evaluation; nil if it succeeded.
    private func evaluate(
        _ changes: ResultChanges, _ rows: ResultState?, _ run: Int, in results: FollowedResults
    ) async -> (any Error)? {
        var failure: (any Error)?
        // Strong references end outside of the lock, as their end takes it. Subscribers that join while the rows are
        // read are among them: nothing else wakes them.
        let waiting: [ResultSubscriber]
        do {
            let (new, changed) = try await results.read(request) { reader in
                guard var rows else { return (try ResultState(reader), ResultState.Changed?.none) }
                let changed = try rows.update(changes, reader)
                return (rows, changes.isEverything ? nil : changed)
            }
            let list = new.list(request)
            waiting = state.withLock { state in
                state.rows = new
                state.version = Version(number: state.version.number + 1, list: list)
                (state.isRunning, state.failure) = (false, nil)
                let subscribers = state.present
                for subscriber in subscribers { subscriber.note(changed) }
                return subscribers
            }
        } catch {
            failure = error
            waiting = state.withLock { state in
                if state.changes.isEmpty { state.changes = changes } else { state.changes.addEverything() }
                (state.isRunning, state.failure) = (false, (run, error))
                return state.present
            }
        }
        for subscriber in waiting { subscriber.waiter.notify() }
        return failure
    }
}
