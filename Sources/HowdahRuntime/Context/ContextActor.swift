import PQClient

/// Gives a context its place in Swift's concurrency: work on it runs inside the calling task, so that task-locals,
/// cancellation and test expectations reach the body, but on the store's own threads and one piece at a time.
actor ContextActor {
    nonisolated let queue: ContextQueue
    nonisolated let store: Store
    // Sound: touched only by isolated code and inside `queue.runAndWait`, which exclude each other.
    nonisolated(unsafe) private var context: ManagedObjectContext

    nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    /// - Parameter board: where those listen who are outside; nil where nobody can.
    init(store: Store, board: NoticeBoard<ContextNotice>? = nil) {
        self.store = store
        queue = ContextQueue(workers: store.workers)
        let context = ManagedObjectContext(store: store)
        context.board = board
        self.context = context
    }

    /// A child's: it has its turns among those of its parent, so that neither ever waits for the other.
    init(childOf parent: ContextActor, board: NoticeBoard<ContextNotice>) {
        store = parent.store
        queue = parent.queue
        let context = ManagedObjectContext(parent: parent.context)
        context.board = board
        self.context = context
    }

    /// Runs a unit of work on the context; changes stay pending from one run to the next.
    func perform<T: Sendable>(
        isolation: Isolation?, deadline: ContinuousClock.Instant?,
        _ body: sending (ManagedObjectContext) throws -> T
    ) async throws -> T {
        let relay = CancellationRelay()
        let unit = UnitOfWork(store: store, relay: relay, deadline: deadline, isolation: isolation)
        return try await withTaskCancellationHandler {
            do {
                return try context.run(unit, body)
            } catch {
                throw ErrorContents.withoutObjects(error)
            }
        } onCancel: {
            relay.cancel()
        }
    }

    /// Runs a unit of work on a context of its own, as often as the policy allows, and ends the context.
    func performOnce<T: Sendable>(
        isolation: Isolation?, retrying policy: RetryPolicy, deadline: ContinuousClock.Instant?,
        _ body: sending (ManagedObjectContext) throws -> T
    ) async throws -> T {
        let relay = CancellationRelay()
        return try await withTaskCancellationHandler {
            var attempt = 1
            while true {
                let unit = UnitOfWork(store: store, relay: relay, deadline: deadline, isolation: isolation)
                let stored = ThreadChain.current.stored
                do {
                    defer { endContext() }
                    let result = try context.run(unit, body)
                    context.warnAboutUnsavedChanges()
                    return result
                } catch {
                    guard policy.allows(attempt: attempt, after: error) else { throw error }
                    // The run is on one thread, from its begin to here.
                    if ThreadChain.current.stored != stored { throw UnitOfWork.refusalToRepeat(after: error) }
                    let pause = policy.pause(before: attempt + 1)
                    try Task.checkCancellation()
                    if pause > .zero { try await Task.sleep(for: pause) }
                    attempt += 1
                }
            }
        } onCancel: {
            relay.cancel()
        }
    }

    /// Runs a unit of work on the caller's thread.
    nonisolated func performAndWait<T: Sendable>(
        isolation: Isolation?, deadline: ContinuousClock.Instant?,
        _ body: (ManagedObjectContext) throws -> T
    ) throws -> T {
        try queue.runAndWait {
            let unit = UnitOfWork(store: store, deadline: deadline, isolation: isolation)
            do {
                return try context.run(unit, body)
            } catch {
                throw ErrorContents.withoutObjects(error)
            }
        }
    }

    /// The next attempt starts on a clean context, and a finished one leaves nothing behind.
    private func endContext() { context = ManagedObjectContext(store: store) }
}
