import HowdahModel
import Logging
import PQClient
import Synchronization

/// The one task of a container that looks for changes in the history, for all who follow it.
///
/// It runs while it has users. It misses nothing: after a failure it goes on from its token, and if the token expired it
/// reports a gap. After an error that does not pass by itself it wakes all followers, and goes on trying. It keeps no
/// changes: streams read their own, and results mark what they have to evaluate.
final class ChangeHub: Sendable {
    /// The changes that one reading found.
    struct Window: Sendable {
        enum Kind: Sendable {
            /// The hub began here. It knows nothing of what was before.
            case start
            /// Changes may be missing before the window, so that anything may have changed.
            case gap
            case next
        }

        let rows: [HistoryRow]
        let kind: Kind
        let token: HistoryToken
    }

    /// The last change that the hub saw.
    struct LastChange: Sendable {
        /// The number of windows with changes so far.
        var number = 0
        var token: HistoryToken?
    }

    private struct State {
        var users = 0
        var isClosed = false
        var task: Task<Void, Never>?
        /// The number of the task, since a former one may still be running.
        var run = 0
        var token: HistoryToken?
        /// The edge that the token was taken at, if it is known.
        var edge: HistoryEdge?
        /// Indicates whether the token before expired.
        var hasGap = false
        var last = LastChange()
        /// The error of the last look, if it failed.
        var failure: (any Error)?
        /// The last error that was logged, until a look succeeds.
        var logged: String?
        var lastLook: ContinuousClock.Instant?
        /// The number of looks that succeeded.
        var looks = 0
    }

    /// The signal for streams after each window with changes.
    let signal = CommitSignal()
    private let store: Store
    private let state = Mutex(State())
    private let listener = Mutex<Listener?>(nil)

    private struct Listener: Sendable {
        let hear: @Sendable (Window) async -> Void
        let fail: @Sendable () -> Void
    }

    init(_ store: Store) { self.store = store }

    /// Passes each window with changes to `body`, in order, and calls `fail` after an error that does not pass by itself.
    func listen(
        _ body: @escaping @Sendable (Window) async -> Void, failing fail: @escaping @Sendable () -> Void
    ) {
        listener.withLock { $0 = Listener(hear: body, fail: fail) }
    }

    // MARK: Users

    /// Counts a user, and begins to look if it is the first one.
    func retain() {
        state.withLock { state in
            state.users += 1
            guard !state.isClosed, state.task == nil else { return }
            state.run += 1
            // It outlives the request that starts it, so it must not be part of its trace.
            state.task = Task.detached { [self, number = state.run] in await run(number) }
        }
    }

    func release() {
        let isEnded = state.withLock { state in
            state.users -= 1
            guard state.users == 0 else { return false }
            (state.task, state.token, state.edge, state.hasGap) = (nil, nil, nil, false)
            (state.failure, state.lastLook) = (nil, nil)
            return true
        }
        // Not cancelled, since a statement that is cut off would be logged as a failure.
        if isEnded { store.commits.notify() }
    }

    /// Ends the hub, and the waits of its users.
    func close() {
        state.withLock { state in
            state.isClosed = true
            state.task = nil
        }
        store.commits.notify()
        signal.notify()
    }

    var isClosed: Bool { state.withLock(\.isClosed) }

    var last: LastChange { state.withLock(\.last) }

    /// The number of looks that succeeded.
    var looks: Int { state.withLock(\.looks) }

    /// The state for people.
    var status: ChangeStreamStatus {
        state.withLock { state in
            ChangeStreamStatus(
                followers: state.users, timeSinceLastPoll: state.lastLook.map { .now - $0 },
                failure: state.failure.map { "\($0)" }, isClosed: state.isClosed)
        }
    }

    /// The error of the last look, unless the next one may succeed.
    var lastingFailure: (any Error)? {
        state.withLock(\.failure).flatMap { HistoryPauses.isTransient($0) ? nil : $0 }
    }

    /// Indicates whether a token is at the hub's place or after it, so that the signal comes for each change after it.
    func signalsAll(after token: HistoryToken) -> Bool {
        state.withLock { state in
            guard let own = state.token, Self.areComparable(own, token) else { return false }
            return token.snapshot.sees(allOf: own.snapshot)
        }
    }

    /// Returns the edge of the hub's place if it is after a token.
    func edge(after token: HistoryToken) -> HistoryEdge? {
        state.withLock { state in
            guard let own = state.token, Self.areComparable(own, token),
                !token.snapshot.sees(allOf: own.snapshot)
            else { return nil }
            return state.edge
        }
    }

    /// Transaction ids may have been given out again in another era.
    private static func areComparable(_ one: HistoryToken, _ other: HistoryToken) -> Bool {
        one.page == nil && other.page == nil && one.incarnation == other.incarnation && one.era == other.era
    }

    /// Makes sure that the hub has a place in the history, so that it reports all that is committed from now on.
    ///
    /// - Throws: ``HistoryError`` if the store has no history, or the server refuses to read it.
    nonisolated(nonsending) func begin() async throws {
        if state.withLock({ $0.token != nil }) { return }
        let reader = try HistoryReader(store, HistoryConditions(nil, in: store))
        let token = try await perform { try reader.currentToken(on: $0) }
        let kind = state.withLock { state -> Window.Kind? in
            guard state.token == nil, state.task != nil else { return nil }
            return state.hasGap ? .gap : .start
        }
        guard let kind else { return }
        // The token is set after the report, so that a task that waits for it finds all changes marked.
        await report(Window(rows: [], kind: kind, token: token))
        let isBehind = state.withLock { state in
            guard state.token == nil, state.task != nil else { return false }
            if state.hasGap, kind == .start { return true }
            state.last = LastChange(number: state.last.number + (state.hasGap ? 1 : 0), token: token)
            (state.token, state.failure, state.hasGap) = (token, nil, false)
            return false
        }
        // A token of another beginning expired meanwhile, and that gap was not reported.
        if isBehind { return try await begin() }
        // The task may wait because of a failure that is over.
        store.commits.notify()
        signal.notify()
    }

    /// Waits until the hub has reported all changes before a token.
    nonisolated(nonsending) func catchUp(to token: HistoryToken) async throws {
        while !isClosed {
            let isBehind = state.withLock { state in
                !(state.token.map { $0.page == nil && $0.snapshot.sees(allOf: token.snapshot) } ?? false)
            }
            guard isBehind else { return }
            if let failure = lastingFailure { throw failure }
            store.commits.notify()
            try await Task.sleep(for: .milliseconds(2))
        }
    }

    // MARK: Looking

    private func run(_ number: Int) async {
        let waiter = store.commits.listen()
        defer { store.commits.forget(waiter) }
        var pauses = HistoryPauses(polling: store.settings.changePolling)
        var kept: HistoryEdge?
        var isAtEnd = true
        while isRunning(number) {
            do {
                let reading = try await look(keeping: kept, number)
                // A checkpoint came between. The new edge is flushed as soon as the old one would have been.
                if reading.end == nil, let kept, kept != reading.kept { pauses.beginFlushing() }
                (kept, isAtEnd) = (reading.kept, reading.isComplete)
                if !reading.rows.isEmpty { pauses.reset() }
                pauses.succeed()
                succeed(number)
            } catch let error as StoreError where error.code == .closed {
                return close()
            } catch {
                // Only a person can end a lasting failure. Saves of this process do not, so they cause no look.
                pauses.backOff(upTo: HistoryPauses.isTransient(error) ? .seconds(5) : .seconds(60))
                await fail(error, number)
            }
            guard let pause = pauses.next(isUnflushed: kept != nil, isAtEnd: isAtEnd) else { continue }
            let end = ContinuousClock.now + pause
            repeat {
                await waiter.wait(atMost: ContinuousClock.now.duration(to: end))
            } while lastingFailure != nil && ContinuousClock.now < end && isRunning(number)
        }
    }

    private func isRunning(_ number: Int) -> Bool {
        state.withLock { $0.run == number && $0.task != nil }
    }

    private func succeed(_ number: Int) {
        let hadFailed = state.withLock { state in
            guard state.run == number, state.task != nil else { return false }
            defer { (state.failure, state.logged, state.lastLook) = (nil, nil, .now) }
            state.looks += 1
            return state.failure != nil
        }
        if hadFailed { store.log.logger.info("The changes of the store are followed again.") }
    }

    private func fail(_ error: any Error, _ number: Int) async {
        let (isFailure, isNew) = state.withLock { state in
            guard state.run == number, state.task != nil else { return (false, false) }
            if (error as? HistoryError)?.code == .tokenExpired {
                // The next look begins with a gap, so it is not reported as an error.
                (state.token, state.edge, state.hasGap) = (nil, nil, true)
                return (false, false)
            }
            let text = "\(error)"
            defer { (state.failure, state.logged) = (error, text) }
            // Each follower that comes and goes starts again, with the same failure.
            return (true, state.failure == nil && state.logged != text)
        }
        if isNew {
            store.log.logger.warning(
                "The changes of the store are not followed, and the attempt is repeated. Correct the cause.",
                metadata: ["error": "\(error)"])
        }
        if !HistoryPauses.isTransient(error) {
            listener.withLock(\.self)?.fail()
            signal.notify()
        }
        guard isFailure else { return }
        let events = store.events
        await events.deliver { events.emit(.changesNotFollowed(error)) }
    }

    /// Reads once, and reports what it found.
    ///
    /// The token moves on after the report, so that a task that waits for it finds all changes marked.
    private func look(keeping kept: HistoryEdge?, _ number: Int) async throws -> HistoryReading {
        guard let token = state.withLock(\.token) else {
            try await begin()
            guard let token = state.withLock(\.token) else { throw CancellationError() }
            return HistoryReading(start: token.snapshot, token: token)
        }
        let reader = try HistoryReader(store, HistoryConditions(nil, in: store))
        let reading = try await perform { try reader.read(after: token, keeping: kept, on: $0) }
        let hasChanges = !reading.rows.isEmpty || reading.isRewound
        if hasChanges, isRunning(number) {
            let kind = reading.isRewound ? Window.Kind.gap : .next
            await report(Window(rows: reading.rows, kind: kind, token: reading.token))
        }
        state.withLock { state in
            guard state.run == number, state.task != nil else { return }
            if state.token != reading.token { (state.token, state.edge) = (reading.token, reading.edge) }
            if hasChanges {
                state.last = LastChange(number: state.last.number + 1, token: reading.token)
            }
        }
        if hasChanges { signal.notify() }
        return reading
    }

    private func report(_ window: Window) async { await listener.withLock(\.self)?.hear(window) }

    private func perform<T: Sendable>(
        _ body: @escaping @Sendable (Connection) throws -> T
    ) async throws -> T {
        try await ContextActor(store: store).performRetrying(
            isolation: nil, retrying: .never, deadline: nil, isUpkeep: true
        ) { context in
            try context.withConnection(body)
        }
    }
}

/// The registration of one who waits for changes, which ends with it.
final class ChangeListener: Sendable {
    let waiter: CommitWaiter
    private let hub: ChangeHub

    init(_ hub: ChangeHub) {
        self.hub = hub
        waiter = hub.signal.listen()
        hub.retain()
    }

    deinit {
        hub.signal.forget(waiter)
        hub.release()
    }
}
