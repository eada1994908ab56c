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
        var running: Task<Void, any Error>?
        var subscribers: [ObjectIdentifier: WeakSubscriber] = [:]
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

    private func subscribers() -> [ResultSubscriber] {
        state.withLock { $0.subscribers.values.compactMap(\.subscriber) }
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
        for subscriber in subscribers() { subscriber.waiter.ring() }
    }

    /// Indicates whether a row is among those that are known, shown or not, or may be when a running evaluation ends.
    func knows(_ key: Int64) -> Bool {
        state.withLock { $0.running != nil || $0.rows?.knows(key) ?? true }
    }

    /// The number of evaluations so far.
    var versionNumber: Int { state.withLock(\.version.number) }

    // MARK: Evaluation

    /// Returns the result with all changes that are marked now.
    ///
    /// The evaluation goes on if the subscriber that asked is cancelled, as others may wait for it too.
    func evaluated(in results: FollowedResults) async throws -> Version {
        while true {
            let running = state.withLock { state -> Task<Void, any Error>? in
                if let running = state.running { return running }
                guard state.rows == nil || !state.changes.isEmpty else { return nil }
                let task = Task { try await self.evaluate(in: results) }
                state.running = task
                return task
            }
            guard let running else { return state.withLock(\.version) }
            try await running.value
        }
    }

    private func evaluate(in results: FollowedResults) async throws {
        let (changes, rows) = state.withLock { state in
            defer { state.changes = ResultChanges() }
            return (state.changes, state.rows)
        }
        do {
            let request = request
            let (new, changed) = try await results.read(request) { reader in
                guard var rows else { return (try ResultState(reader), ResultState.Changed?.none) }
                let changed = try rows.update(changes, reader)
                return (rows, changes.isEverything ? nil : changed)
            }
            let list = new.list(request)
            let subscribers = subscribers()
            for subscriber in subscribers { subscriber.note(changed) }
            state.withLock { state in
                state.rows = new
                state.version = Version(number: state.version.number + 1, list: list)
                state.running = nil
            }
            for subscriber in subscribers { subscriber.waiter.ring() }
        } catch {
            // The changes are lost, so that the next evaluation fetches.
            state.withLock { state in
                state.changes.addEverything()
                state.running = nil
            }
            throw error
        }
    }
}
