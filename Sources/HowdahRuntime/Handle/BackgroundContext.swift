public import PQClient

/// A Sendable handle on a context whose objects and changes live from one `perform` to the next.
///
/// It costs less than a microsecond to create, and needs no connection or thread until you use it. You can
/// create one per request.
///
/// Source: Core Data's private-queue `NSManagedObjectContext`.
public final class BackgroundContext: Sendable {
    private let actor: ContextActor
    let board = NoticeBoard<ContextNotice>()

    init(store: Store) { actor = ContextActor(store: store, board: board) }

    private init(childOf parent: ContextActor) { actor = ContextActor(childOf: parent, board: board) }

    /// Returns a handle on a new child context, which reads the objects of this one, unsaved changes
    /// included.
    ///
    /// Its saves make their changes unsaved changes of this context. If you release it, its changes are
    /// dropped.
    ///
    /// Parent and child share their turns: while a body runs in one, none runs in the other. Bodies may call
    /// each other's ``performAndWait(isolation:timeout:_:)``. Transactions belong to the parent: a child's
    /// `perform` takes no isolation. See `docs/child-contexts.md`.
    ///
    /// Source: Core Data's `parent`, set on a private-queue context.
    public func newChildContext() -> BackgroundContext { BackgroundContext(childOf: actor) }

    /// Runs `body` with the context, after all earlier calls.
    ///
    /// The body is synchronous, runs inside the calling task on a thread of the container, and may block that
    /// thread. If you cancel the task, the running statement is cancelled. Unsaved changes stay for the next
    /// run.
    ///
    /// The body is `@Sendable`, so that no object can leave it in a captured variable: objects belong to the
    /// context's turn. Return ids or values.
    ///
    /// - Parameters:
    ///   - isolation: The isolation of one transaction around the body; nil for none. Each save is then a
    ///     savepoint, and all of them commit at the end. An error rolls them back and makes their changes
    ///     unsaved again.
    ///   - timeout: The time limit of this run, waiting included. It replaces
    ///     ``StoreOptions/statementTimeout``.
    /// - Returns: The result of `body`.
    /// - Throws: The error of the body; the error of the first fault that could not be filled;
    ///   `CancellationError`; `StoreError` with `overloaded`, `deadlineExceeded` or `closed` if the body
    ///   could not begin.
    @discardableResult
    nonisolated(nonsending)
        public func perform<T: Sendable>(
            isolation: Isolation? = nil, timeout: Duration? = nil,
            _ body: @Sendable @escaping (ManagedObjectContext) throws -> T
        ) async throws -> T
    {
        try await actor.perform(
            isolation: isolation, deadline: timeout.map { .now + $0.bounded }, body)
    }

    /// Runs `body` with the context on the calling thread, which waits for its turn and for the database.
    ///
    /// Do not call it on the threads of Swift's cooperative pool. A blocked thread delays other tasks, and if
    /// all threads wait for units of work that need one, the program hangs.
    ///
    /// The call is re-entrant: a body may call it again, also through another context. If two threads each
    /// hold one context and wait for the other's, both wait forever. Always take contexts in the same order.
    ///
    /// Inside of another unit of work it ends with that one: at its deadline, and when its task is cancelled.
    ///
    /// - Returns: The result of `body`.
    /// - Throws: The error of the body; the error of the first fault that could not be filled; `StoreError`
    ///   with `deadlineExceeded` if the context's turn did not begin in time.
    @discardableResult
    public func performAndWait<T: Sendable>(
        isolation: Isolation? = nil, timeout: Duration? = nil,
        _ body: @Sendable (ManagedObjectContext) throws -> T
    ) throws -> T {
        try actor.performAndWait(
            isolation: isolation, deadline: timeout.map { .now + $0.bounded }, body)
    }
}

extension BackgroundContext {
    /// The events of the handle's context, from its next `perform` on; see ``ContextNotice``.
    ///
    /// A run of `perform` that is under way reports its saves. It reports its other changes only if there was
    /// a listener when it began.
    public var notices: Notices<ContextNotice> { board.listen() }
}
