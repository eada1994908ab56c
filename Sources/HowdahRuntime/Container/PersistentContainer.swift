public import Foundation
public import HowdahModel
public import PQClient

/// A store that is open: connections, threads and the model, shared by all contexts.
///
/// Open one per database when the application starts, use it from everywhere, close it when the application ends.
///
/// Source: Core Data's `NSPersistentContainer`.
public final class PersistentContainer: Sendable {
    /// The model the store was opened with.
    public let model: ManagedObjectModel
    /// The model the store was opened with; the same as ``model``.
    ///
    /// Source: Core Data's `managedObjectModel`.
    public var managedObjectModel: ManagedObjectModel { model }
    package let store: Store
    @MainActor private var mainContext: ManagedObjectContext?

    private init(model: ManagedObjectModel, store: Store) {
        self.model = model
        self.store = store
    }

    /// Opens the store in a database, and makes it there if the schema has none.
    ///
    /// An empty schema becomes a store in one transaction. An existing store is opened by reading its record: no
    /// DDL is sent, and a role with DML rights only will do. Several processes may open at once.
    ///
    /// - Parameters:
    ///   - url: a `postgres://` URL or a libpq connection string; several hosts, `target_session_attrs`, and TLS
    ///     options pass through.
    ///   - model: what the store holds.
    ///   - options: where and how; see ``StoreOptions``.
    /// - Throws: `StoreError`: `incompatibleModel` naming both checksums and what differs, `migrationFailed` with
    ///   ``StoreOptions/shouldMigrateStoreAutomatically``, `invalidModel`, `classMismatch`,
    ///   `notAStore`, `unsuitableDatabase`, `database`.
    public static func open(
        _ url: String, model: ManagedObjectModel, options: StoreOptions = StoreOptions()
    ) async throws -> PersistentContainer {
        let opening = try StoreOpening(url, model: model, options: options)
        let store = try await opening.run()
        return PersistentContainer(model: model, store: store)
    }

    /// The store's own identity, made with it and part of all its ids.
    public var storeIdentifier: UUID { store.identifier }

    /// What was sent to the database; records on demand.
    public var statementLog: StatementLog { store.log }

    /// Runs `body` with a context of its own, which ends with it.
    ///
    /// The body is synchronous and may block: it runs on one of the container's threads, inside the calling task,
    /// so that task-locals and cancellation reach it. Without `isolation` each fetch stands alone and each save is a
    /// transaction. Changes that were not saved are dropped, with a warning in the log.
    ///
    /// - Parameters:
    ///   - isolation: where given, one transaction around the body, in which saves are savepoints.
    ///   - policy: when to run the body again, on a clean context.
    ///   - timeout: how long all of it may take, waiting and retries included; in place of
    ///     ``StoreOptions/statementTimeout``.
    ///   - body: the unit of work; what it returns must be Sendable, which objects are not: return their
    ///     `objectID` or plain values.
    /// - Throws: what the body throws; the first fault that could not be filled; `CancellationError`; `StoreError` with
    ///   `overloaded`, `deadlineExceeded` or `closed` if the body could not begin.
    @discardableResult
    nonisolated(nonsending)
        public func perform<T: Sendable>(
            isolation: Isolation? = nil, retrying policy: RetryPolicy = .never,
            timeout: Duration? = nil, _ body: sending @escaping (ManagedObjectContext) throws -> T
        ) async throws -> T
    {
        try await ContextActor(store: store).performRetrying(
            isolation: isolation, retrying: policy, deadline: timeout.map(ContinuousClock.now.advanced), body)
    }

    /// A handle on a new context whose objects and changes live from one `perform` to the next.
    ///
    /// Source: Core Data's `newBackgroundContext()`.
    public func newBackgroundContext() -> BackgroundContext { BackgroundContext(store: store) }

    /// A context of the main actor, for programs with a user interface or a single thread; the same each time.
    ///
    /// Its fetches, faults and saves block the main thread. It has no `perform`: look at its `failure` after
    /// reading objects. With ``ManagedObjectContext/automaticallyMergesChangesFromParent`` it follows what others save
    /// whenever the main actor is free.
    @MainActor public var viewContext: ManagedObjectContext {
        if let mainContext { return mainContext }
        let context = ManagedObjectContext(store: store)
        context.recorder.mergePromptly { [weak self] in Task { await self?.mergeIntoViewContext() } }
        mainContext = context
        return context
    }

    /// Whether the save, or the transaction of `perform(isolation:)`, was stored whose error has this token.
    ///
    /// Asking settles it: what was not stored by now never will be. One to two round trips, and as many more as it
    /// takes to end the lost session if it is still there.
    ///
    /// - Throws: `SaveError` with `outcomeUnknown` where the server cannot be reached within
    ///   ``StoreOptions/connectionWait``, the token is older than a day, or this container was opened without
    ///   ``StoreOptions/resolvesLostCommits``.
    nonisolated(nonsending)
        public func wasStored(_ token: UUID) async throws -> Bool
    {
        guard Date.now.timeIntervalSince(token.timeOrderedDate) < SaveTokens.lifetime else {
            throw SaveError(
                .outcomeUnknown,
                "The token is older than a day; fetch the objects to see whether they were stored.",
                token: token)
        }
        return try await perform { context in
            try context.store.wasStored(token, backend: nil, deadline: nil, after: nil)
        }
    }

    /// Ends the container: no new work begins, work under way has `drainingFor` to finish, and then all connections
    /// are closed. Units that wait, and streams that wait for their source or client, end at once.
    public func close(drainingFor: Duration = .seconds(30)) async {
        store.admission.close()
        store.streams.end()
        await store.pool.close(drainingFor: drainingFor)
        await endViewContext()
        store.notices.board.finish()
        store.workers.shutdown()
    }

    @MainActor private func mergeIntoViewContext() {
        guard let mainContext else { return }
        do {
            try mainContext.mergeInbox()
        } catch {
            mainContext.noteFailure(error)
        }
    }

    @MainActor private func endViewContext() {
        mainContext?.reset()
        mainContext = nil
    }
}

extension PersistentContainer {
    /// What contexts of this container stored, from now on: each save once it is committed, whichever context it is of.
    ///
    /// Batch requests are told like saves, their ids at most 10,000 in a notice. Saves of other processes and plain SQL are
    /// not among it. Saves of different contexts may come
    /// in another order than they were committed in.
    ///
    /// Source: Core Data's `didSaveObjectIDsNotification`.
    public var saves: Notices<SaveNotice> { store.notices.board.listen() }
}
