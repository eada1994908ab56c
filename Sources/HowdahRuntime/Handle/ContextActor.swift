import PQClient

/// The integration of a context with Swift's concurrency.
///
/// Work on the context runs inside the calling task, so that task-locals, cancellation and test expectations
/// reach the body. It runs on the store's own threads, one piece at a time.
actor ContextActor {
    nonisolated let queue: ContextQueue
    nonisolated let store: Store
    private let parent: ContextActor?
    private let board: NoticeBoard<ContextNotice>?
    // Sound: touched only by isolated code and inside `queue.runAndWait`, which exclude each other, also for a child: it
    // shares its parent's queue.
    nonisolated(unsafe) private var made: ManagedObjectContext?

    nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    /// - Parameter board: The board for listeners outside of the context; nil if there can be none.
    init(store: Store, board: NoticeBoard<ContextNotice>? = nil) {
        self.store = store
        self.board = board
        parent = nil
        queue = ContextQueue(workers: store.workers)
    }

    /// Creates the actor of a child. It shares its turns with its parent, so neither ever waits for the
    /// other.
    init(childOf parent: ContextActor, board: NoticeBoard<ContextNotice>) {
        store = parent.store
        queue = parent.queue
        self.parent = parent
        self.board = board
    }

    /// The context, made when it is first needed: a unit of work ends its own, and needs no other.
    nonisolated private var context: ManagedObjectContext {
        if let made { return made }
        let context =
            parent.map { ManagedObjectContext(parent: $0.context) } ?? ManagedObjectContext(store: store)
        context.recorder.listen(at: board)
        made = context
        return context
    }

    /// Runs a unit of work on the context; changes stay unsaved from one run to the next.
    ///
    /// It waits for its turn first and then for a place. So units that wait for one context leave the places
    /// to others.
    nonisolated(nonsending)
        func perform<T: Sendable>(
            isolation: Isolation?, deadline: ContinuousClock.Instant?,
            _ body: sending (ManagedObjectContext) throws -> T
        ) async throws -> T
    {
        let relay = CancellationRelay()
        var watch = UnitWatch.begin(store, isolation)
        // Sound: sent here, and used once.
        nonisolated(unsafe) let body = body
        // Still in the caller's isolation: what an actor asks for in order comes in that order.
        let standing = queue.turns.join()
        return try await withTaskCancellationHandler {
            do {
                let result: T
                do {
                    try await Self.wait(queue.turns, standing, until: deadline, relay)
                    defer { queue.turns.leave() }
                    let reservation = queue.reserve()
                    do {
                        try await admit(until: deadline, relay)
                    } catch {
                        queue.abandon(reservation)
                        throw error
                    }
                    defer { store.admission.leave() }
                    result = try await run(isolation: isolation, deadline: deadline, relay, &watch, body)
                }
                // Without the turn and the place, which observers may wait for.
                if let report = watch?.end(nil, to: store.observed) { await pass(report) }
                return result
            } catch {
                watch?.noteEnd()
                let error = await store.reported(error)
                if let report = watch?.end(error, to: store.observed) { await pass(report) }
                throw error
            }
        } onCancel: {
            relay.cancel()
        }
    }

    /// Waits for a place as `Store.enter`, and holds none while a thread outside of the container's has the context.
    ///
    /// That thread's work may itself need a place. Threads that come later wait for the unit, unless they
    /// have other contexts. After a second the unit takes its place in any case, so that such threads do not
    /// block it forever.
    nonisolated(nonsending)
        private func admit(until deadline: ContinuousClock.Instant?, _ relay: CancellationRelay) async throws
    {
        let end = ContinuousClock.now + .seconds(1)
        var pause = Duration.microseconds(50)
        while true {
            while queue.isOwnedByCaller, ContinuousClock.now < end {
                try Self.checkBegin(deadline, relay)
                try await Task.sleep(for: pause)
                pause = min(pause * 2, .milliseconds(5))
            }
            try await store.enter(until: deadline, relay)
            if !queue.isOwnedByCaller || ContinuousClock.now >= end { return }
            store.admission.leave()
        }
    }

    /// Runs a unit of work on a new context, as often as the policy permits, and ends the context.
    ///
    /// - Parameters:
    ///   - isUpkeep: Indicates whether the container does it for itself. Observers receive no unit of work then, but
    ///     its statements.
    ///   - isLast: Indicates whether the unit belongs to the end of the container.
    nonisolated(nonsending)
        func performRetrying<T: Sendable>(
            isolation: Isolation?, retrying policy: RetryPolicy, deadline: ContinuousClock.Instant?,
            isUpkeep: Bool = false, isLast: Bool = false,
            _ body: sending (ManagedObjectContext) throws -> T
        ) async throws -> T
    {
        var watch = isUpkeep ? nil : UnitWatch.begin(store, isolation)
        do {
            let result = try await runRetrying(
                isolation: isolation, retrying: policy, deadline: deadline, isLast: isLast, &watch, body)
            if let report = watch?.end(nil, to: store.observed) { await pass(report) }
            return result
        } catch {
            if let report = watch?.end(error, to: store.observed) { await pass(report) }
            throw error
        }
    }

    /// Passes a report to the observers.
    ///
    /// The threads of units may all be busy, which must not hold up a unit that was refused, cancelled or is done.
    nonisolated(nonsending) private func pass(_ report: UnitReport) async {
        let events = store.events
        await events.deliver { report.pass(to: events) }
    }

    nonisolated(nonsending)
        private func runRetrying<T: Sendable>(
            isolation: Isolation?, retrying policy: RetryPolicy, deadline: ContinuousClock.Instant?,
            isLast: Bool, _ watch: inout UnitWatch?, _ body: sending (ManagedObjectContext) throws -> T
        ) async throws -> T
    {
        let relay = CancellationRelay()
        // Sound: sent here, and used by one run after the other.
        nonisolated(unsafe) let body = body
        return try await withTaskCancellationHandler {
            var attempt = 1
            var last: (any Error)?
            while true {
                let outcome: Result<T, Failure>
                do {
                    do {
                        try await store.enter(until: deadline, isLast: isLast, relay)
                    } catch {
                        watch?.noteEnd()
                        throw await store.reported(error)
                    }
                    defer { store.admission.leave() }
                    outcome = try await runAndEnd(
                        isolation: isolation, deadline: deadline, relay, &watch, body)
                } catch let error as StoreError where error.code == .deadlineExceeded {
                    // The time was over before another run could begin: what ended the last one is the reason.
                    throw last ?? error
                }
                switch outcome {
                case .success(let result): return result
                case .failure(let failure):
                    guard policy.allows(attempt: attempt, after: failure.error) else { throw failure.error }
                    if failure.hasStored { throw UnitOfWork.refusalToRepeat(after: failure.error) }
                    let pause = RetryPause.duration(before: attempt + 1)
                    try Task.checkCancellation()
                    if pause > .zero { try await Task.sleep(for: pause) }
                    attempt += 1
                    last = failure.error
                    if let report = watch?.retryReport(attempt, after: failure.error) { await pass(report) }
                    watch?.beginWait()
                }
            }
        } onCancel: {
            relay.cancel()
        }
    }

    /// The error of a run.
    private struct Failure: Error {
        let error: any Error
        /// A Boolean value that indicates whether changes of the failed run are stored nevertheless.
        let hasStored: Bool
    }

    private func run<T: Sendable>(
        isolation: Isolation?, deadline: ContinuousClock.Instant?, _ relay: CancellationRelay,
        _ watch: inout UnitWatch?, _ body: (ManagedObjectContext) throws -> T
    ) throws -> T {
        try Self.checkBegin(deadline, relay)
        let unit = UnitOfWork(store: store, relay: relay, deadline: deadline, isolation: isolation)
        do {
            return try watch.run { try context.run(unit, body) }
        } catch {
            throw ErrorContents.withoutObjects(error)
        }
    }

    /// Runs a unit of work, and ends the context.
    private func runAndEnd<T: Sendable>(
        isolation: Isolation?, deadline: ContinuousClock.Instant?, _ relay: CancellationRelay,
        _ watch: inout UnitWatch?, _ body: (ManagedObjectContext) throws -> T
    ) throws -> Result<T, Failure> {
        try Self.checkBegin(deadline, relay)
        let unit = UnitOfWork(store: store, relay: relay, deadline: deadline, isolation: isolation)
        // The run is on one thread.
        let stored = ThreadChain.current.stored
        defer { endContext() }
        do {
            let result = try watch.run { try context.run(unit, body) }
            context.warnAboutUnsavedChanges()
            return .success(result)
        } catch {
            return .failure(Failure(error: error, hasStored: ThreadChain.current.stored != stored))
        }
    }

    /// Throws if a unit was cancelled, or its deadline passed, while it waited for its thread.
    private static func checkBegin(
        _ deadline: ContinuousClock.Instant?, _ relay: CancellationRelay
    ) throws {
        if relay.isCancelled { throw CancellationError() }
        if let deadline, deadline <= .now { throw StoreError.lateStart }
    }

    nonisolated(nonsending)
        private static func wait(
            _ turns: AdmissionQueue, _ standing: AdmissionQueue.Standing,
            until deadline: ContinuousClock.Instant?,
            _ relay: CancellationRelay
        ) async throws
    {
        switch await turns.wait(standing, until: deadline, relay) {
        case .cancelled: throw CancellationError()
        case .expired: throw StoreError.lateStart
        case .admitted, .full, .closed: return
        }
    }

    /// Runs a unit of work on the caller's thread.
    nonisolated func performAndWait<T: Sendable>(
        isolation: Isolation?, deadline: ContinuousClock.Instant?,
        _ body: (ManagedObjectContext) throws -> T
    ) throws -> T {
        let chain = ThreadChain.current
        let outer = chain.scope
        let end = outer.deadline(of: deadline)
        // What runs may go on while the container ends, also with other contexts.
        let isInside = chain.queues.contains { ($0 as? ContextQueue)?.isOf(store.workers) == true }
        var watch = UnitWatch.begin(store, isolation)
        let result: T
        do {
            guard isInside || store.admission.enterAsGuest() else { throw StoreError.closed() }
            defer { if !isInside { store.admission.leaveAsGuest() } }
            result = try queue.runAndWait(until: end, outer.relay) {
                // It may have waited for its context.
                if !isInside, store.admission.isClosed { throw StoreError.closed() }
                let unit = UnitOfWork(store: store, deadline: deadline, isolation: isolation)
                do {
                    return try watch.run { try context.run(unit, body) }
                } catch {
                    throw ErrorContents.withoutObjects(error)
                }
            }
        } catch {
            watch?.end(error, to: store.observed)?.pass(to: store.events)
            throw error
        }
        // The end of the container does not wait for this observer.
        watch?.end(nil, to: store.observed)?.pass(to: store.events)
        return result
    }

    /// Ends the context: the next attempt starts on a clean one, and a finished one keeps no state.
    private func endContext() { made = nil }
}
