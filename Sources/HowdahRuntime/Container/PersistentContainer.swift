public import Foundation
public import HowdahModel
public import PQClient

/// An open store: its connections, threads and model, shared by all contexts.
///
/// Open one per database when the application starts. You can use it from all tasks and threads. Close it
/// when the application ends.
///
/// Source: Core Data's `NSPersistentContainer`.
public final class PersistentContainer: Sendable {
    /// The model that the store was opened with.
    package let model: ManagedObjectModel
    /// The model that the store was opened with.
    ///
    /// Source: Core Data's `managedObjectModel`.
    public var managedObjectModel: ManagedObjectModel { model }
    package let store: Store
    /// The migrator of the options, with the limits of a migration.
    package let migrator: (any StoreMigrator)?
    /// The task that keeps the history; nil if the store has none, or another program keeps it.
    private let keeper: HistoryKeeper?
    /// The look at the history that all who follow it share.
    let hub: ChangeHub
    /// The results that are followed.
    let followed: FollowedResults
    @MainActor private var mainContext: ManagedObjectContext?
    /// An executor of the container's threads, for tasks with many small units of work one after the other.
    ///
    /// ```swift
    /// try await withTaskExecutorPreference(container.taskExecutor) {
    ///     for id in ids { try await container.perform { try archive($0, id) } }
    /// }
    /// ```
    /// Without it, a unit of work wakes one of the container's threads to run the body, and one of Swift's to continue
    /// the task. A task with this executor does both on the same thread, which takes about half of the time of a unit
    /// with one statement.
    ///
    /// Such tasks share the threads with the bodies of all units; there are ``StoreOptions/maximumConnections`` of
    /// them. So use it for code that has little to do between its units. Code that computes for long, or blocks,
    /// takes a thread from the units of others. A body that blocks until another of these tasks has
    /// continued can wait forever.
    public let taskExecutor: any TaskExecutor

    private init(model: ManagedObjectModel, store: Store, options: StoreOptions) {
        self.model = model
        self.store = store
        migrator = options.migrator
        taskExecutor = WorkerExecutor(store.workers)
        let keepsHistory = options.keepsHistory && !options.isReadOnly
        keeper = keepsHistory && store.history != nil ? HistoryKeeper(store) : nil
        hub = ChangeHub(store)
        followed = FollowedResults(store)
        followRemoteChanges(merging: options.mergesRemoteChanges)
        keeper?.start()
    }

    deinit {
        keeper?.cancel()
        hub.close()
    }

    /// Opens the store in a database, and creates it if the schema has none.
    ///
    /// An empty schema becomes a store in one transaction. If there is a store, opening reads its record and
    /// sends no DDL, so a role with only DML rights suffices. Several processes may open a store at once.
    /// Opening runs on a thread of the container and does not block the calling one.
    ///
    /// - Parameters:
    ///   - url: A `postgres://` URL or a libpq connection string. Several hosts, `target_session_attrs` and
    ///     TLS options are passed on.
    ///   - model: The model of the store.
    ///   - options: The schema and the limits; see ``StoreOptions``.
    /// - Throws: `StoreError` with one of these codes; or `CancellationError`.
    ///   - `incompatibleModel`: The store has another model. The message names both checksums and the
    ///     differences.
    ///   - `migrationFailed`: A migration failed, with ``StoreOptions/shouldMigrateStoreAutomatically`` for
    ///     example, or is not finished.
    ///   - `invalidModel`, `classMismatch`: The model cannot be stored, or a class does not have the
    ///     properties of its entity.
    ///   - `invalidOptions`: An option has an invalid value.
    ///   - `notAStore`: The schema has tables of another program, or the store's record is damaged.
    ///   - `schemaMismatch`: The tables differ from the model, or ``StoreOptions/resolvesLostCommits`` is set
    ///     and its table is missing.
    ///   - `inUse`: Another session has the store locked for longer than ``StoreOptions/connectionWait``, or
    ///     replaced it meanwhile.
    ///   - `historyOfAnotherCluster`: The history of the store was written in another database, or its state is missing.
    ///   - `unsuitableDatabase`, `database`: The database cannot be used or reached.
    public static func open(
        _ url: String, model: ManagedObjectModel, options: StoreOptions = StoreOptions()
    ) async throws -> PersistentContainer {
        let opening = try StoreOpening(url, model: model, options: options)
        let store = try await opening.run()
        return PersistentContainer(model: model, store: store, options: options)
    }

    /// The store's identity, which is created with it and is a part of all its ids.
    public var storeIdentifier: UUID { store.identifier }

    /// The author of the transactions of all contexts in the history of the store, nil by default; see
    /// ``ManagedObjectContext/transactionAuthor``, which overrides it.
    public var transactionAuthor: String? {
        get { store.transactionAuthor }
        set { store.transactionAuthor = newValue }
    }

    /// The log of the statements that the container sent; it records on demand.
    public var statementLog: StatementLog { store.log }

    /// The counts of the container's work by call sites; it collects on demand.
    public var statistics: StoreStatistics { store.events.statistics }

    /// Runs `body` with a new context, which ends with it.
    ///
    /// The body is synchronous and may block. It runs on one of the container's threads, inside the calling
    /// task, so task-locals and cancellation reach it. Without `isolation`, each fetch is separate and each
    /// save is a transaction. Unsaved changes are dropped, with a warning in the log.
    ///
    /// - Parameters:
    ///   - isolation: The isolation of one transaction around the body, in which saves are savepoints; nil
    ///     for no such transaction.
    ///   - policy: The conditions on which the body runs again, on a clean context.
    ///   - timeout: The time limit of the whole call, waiting and retries included. It replaces
    ///     ``StoreOptions/statementTimeout``.
    ///   - body: The unit of work. Its result must be Sendable, which objects are not: return their
    ///     `objectID` or plain values.
    /// - Returns: The result of `body`.
    /// - Throws: The error of the body; the error of the first fault that could not be filled;
    ///   `CancellationError`; `StoreError` with `overloaded`, `deadlineExceeded` or `closed` if the body
    ///   could not begin.
    @discardableResult
    nonisolated(nonsending)
        public func perform<T: Sendable>(
            isolation: Isolation? = nil, retrying policy: RetryPolicy = .never,
            timeout: Duration? = nil, _ body: sending @escaping (ManagedObjectContext) throws -> T
        ) async throws -> T
    {
        try await ContextActor(store: store).performRetrying(
            isolation: isolation, retrying: policy, deadline: timeout.map { .now + $0.bounded }, body)
    }

    /// Returns a handle on a new context, whose objects and changes live from one `perform` to the next.
    ///
    /// Source: Core Data's `newBackgroundContext()`.
    public func newBackgroundContext() -> BackgroundContext { BackgroundContext(store: store) }

    /// The context of the main actor, for programs with a user interface or a single thread; the same each
    /// time.
    ///
    /// Its fetches, faults and saves block the main thread. It has no `perform`: check its `failure` after
    /// you read objects. If you set ``ManagedObjectContext/automaticallyMergesChangesFromParent``, it merges
    /// the saves of other contexts when the main actor is free.
    @MainActor public var viewContext: ManagedObjectContext {
        if let mainContext { return mainContext }
        let context = ManagedObjectContext(store: store)
        context.recorder.mergePromptly { [weak self] in Task { await self?.mergeIntoViewContext() } }
        mainContext = context
        return context
    }

    /// Returns a Boolean value that indicates whether a save, or the transaction of `perform(isolation:)`,
    /// was stored.
    ///
    /// The call settles the outcome: if the save is not stored by now, it never will be. It takes one to two
    /// round trips. If the lost session still exists, it takes as many more as are needed to end it.
    ///
    /// - Parameter token: The token of the error that the save threw.
    /// - Throws: `SaveError` with `outcomeUnknown` if the server cannot be reached within
    ///   ``StoreOptions/connectionWait``, or if the token is older than a day. Also if this container was
    ///   opened without ``StoreOptions/resolvesLostCommits``.
    nonisolated(nonsending)
        public func wasStored(_ token: UUID) async throws -> Bool
    {
        guard Date.now.timeIntervalSince(token.timeOrderedDate) < SaveTokens.lifetime else {
            throw SaveError(
                .outcomeUnknown,
                "The token of the save is older than a day. Fetch the objects to find out if they were saved.",
                token: token)
        }
        return try await perform { context in
            try context.store.wasStored(token, backend: nil, deadline: nil, after: nil)
        }
    }

    /// Closes the container.
    ///
    /// No new work begins, also with `performAndWait`, except inside of work that runs. Running work has some time to
    /// finish, and then all connections are closed. Units that wait, and streams that wait for their source or client,
    /// end at once. The view context can work until the connections are closed. If the store has a history, a last
    /// heartbeat is written after the work, unless the one before is at most four seconds old. It can take half a
    /// second longer than the draining time if the server does not answer.
    ///
    /// - Parameter time: The time that running work has; nil, the default, for
    ///   ``StoreOptions/drainingTime``.
    public func close(drainingFor time: Duration? = nil) async {
        let end = ContinuousClock.now + (time ?? store.settings.drainingTime).bounded
        keeper?.cancel()
        store.admission.close()
        store.streams.end()
        hub.close()
        followed.wake()
        // First the units, as one that has run without a connection may still need one.
        await store.admission.drain(until: end)
        // After the last saves of this process.
        await keeper?.stop(by: end)
        await store.pool.close(drainingFor: max(.zero, end - .now))
        store.events.end()
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
    /// The saves of this container's contexts, from now on: one notice for each save after it is committed.
    ///
    /// Batch requests send notices as saves do, with at most 10,000 ids in each. Saves of other processes and
    /// plain SQL are not included. Saves of different contexts may arrive in another order than they were
    /// committed in.
    ///
    /// Source: Core Data's `didSaveObjectIDsNotification`.
    public var saves: Notices<SaveNotice> { store.notices.board.listen() }
}
