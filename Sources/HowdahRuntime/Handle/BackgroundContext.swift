public import PQClient

/// A Sendable handle on a context of its own, whose objects and changes live from one `perform` to the next.
///
/// Costs less than a microsecond to make and no connection or thread until it is used: one per request is fine.
///
/// Source: Core Data's private-queue `NSManagedObjectContext`.
public final class BackgroundContext: Sendable {
    private let actor: ContextActor
    let board = NoticeBoard<ContextNotice>()

    init(store: Store) { actor = ContextActor(store: store, board: board) }

    private init(childOf parent: ContextActor) { actor = ContextActor(childOf: parent, board: board) }

    /// A handle on a new context that reads what this one holds, unsaved changes included, and whose saves make their
    /// changes unsaved changes of this one; dropping it drops its changes.
    ///
    /// It has its turns among those of its parent: while a body runs in one, none runs in the other, and bodies may
    /// call each other's ``performAndWait(isolation:timeout:_:)``. Transactions are the parent's: a child's `perform`
    /// takes no isolation. See `docs/child-contexts.md`.
    ///
    /// Source: Core Data's `parent`, set on a private-queue context.
    public func newChildContext() -> BackgroundContext { BackgroundContext(childOf: actor) }

    /// Runs `body` with the context, after everything that was asked of it before.
    ///
    /// The body is synchronous, runs inside the calling task on a thread of the container, and may block it.
    /// Cancelling the task cancels the statement that is running. Unsaved changes stay for the next run.
    ///
    /// The body is `@Sendable`, so that no object can leave it in a captured variable: objects belong to the context's
    /// turn. Return ids or values.
    ///
    /// - Parameters:
    ///   - isolation: where given, one transaction around the body: each save is a savepoint, all of them commit
    ///     at the end, and an error rolls them back and makes their changes pending again.
    ///   - timeout: how long all of this run may take, waiting included; in place of
    ///     ``StoreOptions/statementTimeout``.
    /// - Throws: what the body throws; the first fault that could not be filled; `CancellationError`; `StoreError` with
    ///   `overloaded`, `deadlineExceeded` or `closed` if the body could not begin.
    @discardableResult
    nonisolated(nonsending)
        public func perform<T: Sendable>(
            isolation: Isolation? = nil, timeout: Duration? = nil,
            _ body: @Sendable @escaping (ManagedObjectContext) throws -> T
        ) async throws -> T
    {
        try await actor.perform(
            isolation: isolation, deadline: timeout.map(ContinuousClock.now.advanced), body)
    }

    /// Runs `body` with the context on the calling thread, which waits for its turn and for the database.
    ///
    /// Not for the threads of Swift's cooperative pool: blocking them stalls other tasks, and if all of them wait for units of
    /// work that need one, nothing goes on. Re-entrant: a body may call it again, also by way of another context. Two threads that each hold one context and wait for the
    /// other's wait for ever: take contexts in one order.
    ///
    /// Inside of another unit of work it ends with that one: at its deadline, and when its task is cancelled.
    ///
    /// - Throws: what the body throws; the first fault that could not be filled; `StoreError` with `deadlineExceeded` if
    ///   the context's turn did not come in time.
    @discardableResult
    public func performAndWait<T: Sendable>(
        isolation: Isolation? = nil, timeout: Duration? = nil,
        _ body: @Sendable (ManagedObjectContext) throws -> T
    ) throws -> T {
        try actor.performAndWait(
            isolation: isolation, deadline: timeout.map(ContinuousClock.now.advanced), body)
    }
}

extension BackgroundContext {
    /// What happens in the handle's context, from its next `perform` on; see ``ContextNotice``.
    ///
    /// A run of `perform` that is under way tells its saves, and its other changes only where somebody listened when it
    /// began.
    public var notices: Notices<ContextNotice> { board.listen() }
}
