package import Foundation
package import HowdahModel
import Logging
package import PQClient
import Synchronization

/// The parts that all contexts of a container share: connections, threads, layouts, keys and logging.
package final class Store: Sendable {
    let identifier: UUID
    package let layouts: StoreLayout
    let classes: ObjectClasses
    let pool: ConnectionPool
    let workers: WorkerPool
    let keys: KeyAllocators
    let sizes: TableSizes
    package let settings: StoreSettings
    /// The queue in which units of work wait for a thread and a connection.
    let admission: AdmissionQueue
    /// The tokens of saves; nil if they leave none.
    let tokens: SaveTokens?
    /// The history that saves and batches write; nil if the store has none.
    package let history: StoreHistory?
    private let author = Mutex<String?>(nil)
    package let log: StatementLog
    /// The observer and the statistics of the container.
    var events: StoreEvents { log.listeners }
    /// The events, for calls that each unit of work makes: they count no reference. The log keeps the object.
    let observed: Unmanaged<StoreEvents>
    /// The store's model when it was opened; nil if it is not needed.
    let watch: ModelWatch?
    /// The mark by which sessions show that the store is open; nil for the stores of a migration's handlers, and for
    /// tables without a record.
    let mark: StoreMark?
    /// The notices of committed saves, for contexts and programs that follow them.
    let notices = StoreNotices()
    /// The signal after each commit of the container's contexts.
    let commits = CommitSignal()
    /// The history that was read last.
    let judgedHistory = JudgedHistory()
    /// The query of readiness probes.
    let probes = ReadinessProbes()
    /// The tables into which the server refuses a COPY.
    let copies = CopyRefusals()
    /// The caches of rooms above.
    let caches = StoreCaches()
    /// The running streams, which end when the container is closed.
    let streams = StreamRegistry()

    init(
        identifier: UUID, layouts: StoreLayout, classes: ObjectClasses, pool: ConnectionPool,
        workers: WorkerPool, sizes: TableSizes, settings: StoreSettings,
        admission: AdmissionQueue, tokens: SaveTokens? = nil, history: StoreHistory? = nil, log: StatementLog,
        watch: ModelWatch? = nil, mark: StoreMark? = nil
    ) {
        self.identifier = identifier
        self.layouts = layouts
        self.classes = classes
        self.pool = pool
        self.workers = workers
        self.sizes = sizes
        self.settings = settings
        self.admission = admission
        self.tokens = tokens
        self.history = history
        self.log = log
        observed = .passUnretained(log.listeners)
        self.watch = watch
        self.mark = mark
        keys = KeyAllocators(layouts)
    }

    /// The author of the transactions of all contexts that name none.
    var transactionAuthor: String? {
        get { author.withLock { $0 } }
        set { author.withLock { $0 = newValue } }
    }

    /// Creates the store of a stage, whose contexts have a queue for themselves.
    package convenience init(
        identifier: UUID, layouts: StoreLayout, classes: ObjectClasses, pool: ConnectionPool,
        workers: WorkerPool, sizes: TableSizes, settings: StoreSettings, log: StatementLog
    ) {
        self.init(
            identifier: identifier, layouts: layouts, classes: classes, pool: pool, workers: workers,
            sizes: sizes, settings: settings, admission: AdmissionQueue(places: settings.maximumConnections),
            log: log)
    }

    /// Waits for a place on the store's threads and connections; `admission.leave()` returns it.
    ///
    /// The caller notifies observers with ``reported(_:)`` if there was none.
    ///
    /// - Parameter isLast: Indicates whether the unit belongs to the end of the container.
    /// - Throws: `CancellationError`; `StoreError` with `overloaded` or `closed`. `RefusedWait` after a wait that was too
    ///   long.
    nonisolated(nonsending)
        func enter(
            until deadline: ContinuousClock.Instant?, isLast: Bool = false, _ relay: CancellationRelay
        ) async throws
    {
        let start = ContinuousClock.now
        let longest = start + settings.connectionWait
        let end = deadline.map { min($0, longest) } ?? longest
        switch await admission.enter(until: end, limit: settings.maximumWaitingUnits, isLast: isLast, relay) {
        case .admitted: return
        case .cancelled: throw CancellationError()
        case .expired:
            let isLate = deadline.map { $0 <= longest } ?? false
            let error = isLate ? StoreError.lateStart : .overloaded(after: settings.connectionWait)
            // There are as many places as connections.
            throw RefusedWait(error: error, duration: ContinuousClock.now - start)
        case .full: throw StoreError.full(settings.maximumWaitingUnits)
        case .closed: throw StoreError.closed()
        }
    }

    /// Notifies observers about a wait that ended without a place, and returns the error for the caller.
    ///
    /// Observers may wait for other units, so the caller must hold nothing that these need.
    nonisolated(nonsending) func reported(_ error: any Error) async -> any Error {
        guard let refusal = error as? RefusedWait else { return error }
        let events = events
        await events.deliver {
            events.emit(.poolWait(.init(duration: refusal.duration, error: refusal.error)))
        }
        return refusal.error
    }

    /// A wait for a place that ended without one.
    private struct RefusedWait: Error {
        let error: StoreError
        let duration: Duration
    }

    /// Returns the layout of the entity whose objects are of this class.
    func layout(of type: ManagedObject.Type) -> EntityLayout? {
        classes.place(of: type).map { layouts.entities[$0] }
    }

    /// Returns the error to throw for a failed read, with its cause.
    ///
    /// - Parameters:
    ///   - entity: The entity that was read, if it is only one.
    ///   - patterns: The MATCHES comparisons that the server evaluated.
    ///   - search: The words that the server searched for.
    ///   - mayHaveWritten: Indicates whether the statement is the program's own, which may write.
    package func readError(
        _ error: any Error, of entity: EntityLayout? = nil, patterns: [String] = [],
        search: TextSearch? = nil,
        mayHaveWritten: Bool = false
    ) -> any Error {
        guard var error = error as? PostgresError else { return error }
        // Nothing that only reads was committed, whatever became of its answer.
        if !mayHaveWritten { error.mayHaveCommitted = false }
        if let refusal = FetchError(refusing: patterns, error) { return refusal }
        if let refusal = FetchError(refusing: search, error) { return refusal }
        if let complaint = error.localeComplaint {
            return FetchError(.invalidRequest, complaint, databaseError: error)
        }
        if let message = SchemaDrift(layouts: layouts).message(for: error) {
            return FetchError(.schemaMismatch, message, databaseError: error)
        }
        if error.sqlState == SQLState.lockNotAvailable {
            return FetchError(
                .locked,
                "\(entity.map { "Rows of \($0.name)" } ?? "Rows") are locked by another transaction and did not "
                    + "become free in time. Retry later, exclude such rows with .skippingLocked, or use a row lock "
                    + "that waits.",
                databaseError: error)
        }
        if let concurrencyFailure = error.concurrencyFailure {
            return FetchError(concurrencyFailure, databaseError: error)
        }
        if error.code == .invalidValue, error.phase != .decode {
            return FetchError(
                .invalidRequest,
                "A value of the request cannot be sent to the server. Pass another value in place of the one "
                    + "that the cause describes.",
                databaseError: error)
        }
        let message =
            if error.mayHaveCommitted {
                "The connection was lost before the database answered your statement, which may have been committed. Look "
                    + "for its effect before you send it again."
            } else if error.sqlState == SQLState.insufficientPrivilege {
                "The role lacks a right that the query needs. Run howdah migrate doctor --role as the store's owner, and "
                    + "grant the rights that it lists."
            } else if error.code == .cancelled {
                "The query was cancelled, with its task or on the server. Fetch again if it is still needed."
            } else if error.isOfSession {
                "The connection was lost before the database answered the query. Fetch again."
            } else if error.sqlState != nil {
                "The database refused the query. Correct the cause that it names, and fetch again."
            } else {
                "The query failed. Correct the cause that it names, and fetch again."
            }
        return FetchError(.database, message, databaseError: error)
    }
}
