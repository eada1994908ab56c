package import PQClient

/// One run of `perform`: at most one connection, leased when it is first needed and returned at the end.
///
/// With an isolation level it is also one transaction around the whole run, in which each save is a savepoint.
package final class UnitOfWork {
    private let store: Store
    private let relay: CancellationRelay?
    @exclusivity(unchecked) private(set) var deadline: ContinuousClock.Instant?
    /// The time limit of a statement; nil if the unit has a deadline, or is exempt.
    @exclusivity(unchecked) private var statementTimeout: Duration?
    /// The number of the relay's interrupt that ends the connection's statement.
    @exclusivity(unchecked) private var interrupt: Int?
    private let isolation: Isolation?
    @exclusivity(unchecked) private var connection: Connection?
    /// A Boolean value that indicates whether another owner ends the connection and its transaction.
    private let isBorrowing: Bool
    /// The closures that restore the changes that saves of this transaction adopted; run in reverse on
    /// rollback.
    @exclusivity(unchecked) private var undoings: [() -> Void] = []
    /// The closures to run after the unit's transaction is committed.
    @exclusivity(unchecked) private var tellings: [() -> Void] = []
    /// The statements to send with the COMMIT; nil if there are none.
    @exclusivity(unchecked) var closing: (any CommitPart)?
    /// A Boolean value that indicates whether the unit may have written.
    @exclusivity(unchecked) private var hasWritten = false

    /// Creates a unit that ends with the one around it on this thread: by its cancellation, and at the latest
    /// by its deadline.
    package init(
        store: Store, relay: CancellationRelay? = nil, deadline: ContinuousClock.Instant? = nil,
        isolation: Isolation? = nil
    ) {
        self.store = store
        let outer = ThreadChain.current.scope
        self.relay = relay ?? outer.relay
        self.deadline = outer.deadline(of: deadline)
        statementTimeout = self.deadline == nil ? store.settings.statementTimeout : nil
        self.isolation = isolation
        isBorrowing = false
    }

    /// Creates a part of a transaction that is open on a connection. The unit neither ends it nor returns the
    /// connection.
    package init(store: Store, borrowing connection: Connection) {
        self.store = store
        relay = nil
        deadline = nil
        isolation = .readCommitted
        self.connection = connection
        isBorrowing = true
    }

    /// The limits of the unit.
    var scope: ThreadChain.Scope {
        isBorrowing ? ThreadChain.current.scope : ThreadChain.Scope(relay: relay, deadline: deadline)
    }

    /// Removes the time limit of the unit's statements, for batches and streams.
    package func exemptFromStatementTimeout() {
        statementTimeout = nil
        if !isBorrowing { connection?.statementTimeout = nil }
    }

    /// A Boolean value that indicates whether saves are savepoints of a transaction that ends with the unit.
    var isTransaction: Bool { isolation != nil }

    /// Returns the unit's connection. It waits for one in the order of arrival, unless this thread holds
    /// another one.
    ///
    /// - Throws: `CancellationError` if the task is cancelled, `PostgresError` if no connection is available.
    func lease() throws -> Connection {
        if relay?.isCancelled == true { throw CancellationError() }
        if let connection {
            if connection.isUsable || isTransaction { return connection }
            // It broke under an earlier statement, whose error was thrown; the next one may do better.
            end()
        }
        return try leaseFirst()
    }

    /// Leases a connection for a unit that has none.
    private func leaseFirst() throws -> Connection {
        let chain = ThreadChain.current
        // One that is idle is no wait, whose beginning need not be known.
        var start: MonotonicTime?
        let leased: Connection
        if let idle = store.pool.leaseIdle() {
            leased = idle
        } else {
            if store.observed.isOn { start = .now }
            leased = try leaseObserved(nested: chain.leases > 0, since: start)
        }
        let leasedAt = start.map { _ in MonotonicTime.now }
        leased.deadline = deadline
        store.log.attach(to: leased)
        leased.statementTimeout = statementTimeout
        guard leased.findsOwnNamesFirst ?? true else {
            store.pool.release(leased)
            throw StoreError.foreignNamesFirst
        }
        if let relay {
            interrupt = relay.attach { [canceller = leased.canceller] in canceller.cancelUnitOfWork() }
            if interrupt == nil {
                store.pool.release(leased)
                throw CancellationError()
            }
        }
        chain.leases += 1
        connection = leased
        store.observed._withUnsafeGuaranteedRef { events in
            guard events.isOn else { return }
            var wait: Int64 = 0
            if let start, let leasedAt { wait = leasedAt.nanoseconds(since: start) }
            chain.waited += wait
            events.emitWait(wait)
        }
        do {
            try store.mark?.put(on: leased, within: longestWait)
            if let isolation { try leased.begin(isolation: isolation) }
        } catch {
            // Kept, it would run what comes next outside of any transaction.
            end()
            throw error
        }
        return leased
    }

    /// Runs a part of the unit with a deadline before the unit's.
    func run<T>(until end: ContinuousClock.Instant?, _ body: () throws -> T) rethrows -> T {
        guard let end, !isBorrowing, deadline.map({ end < $0 }) ?? true else { return try body() }
        let (outer, chain) = (deadline, ThreadChain.current)
        func limit(to end: ContinuousClock.Instant?) {
            deadline = end
            connection?.deadline = end
            chain.scope.deadline = end
        }
        limit(to: end)
        defer { limit(to: outer) }
        return try body()
    }

    /// Runs `body` on another connection after the unit has returned its own, within the unit's limits.
    ///
    /// If that is not possible in time, the result is nil.
    func afterwards<T>(within patience: Duration, _ body: (Connection) -> T?) -> T? {
        if relay?.isCancelled == true || isLate { return nil }
        let end = min(deadline ?? .now + patience, .now + patience)
        guard let other = try? store.pool.lease(timeout: min(patience, longestWait)) else { return nil }
        other.deadline = end
        let interrupt = relay?.attach { [canceller = other.canceller] in canceller.cancelUnitOfWork() }
        defer {
            if let interrupt { relay?.detach(interrupt) }
            store.pool.release(other)
        }
        return body(other)
    }

    private var isLate: Bool { deadline.map { $0 <= .now } ?? false }

    private var longestWait: Duration {
        guard let deadline else { return store.settings.connectionWait }
        return min(store.settings.connectionWait, max(.zero, ContinuousClock.now.duration(to: deadline)))
    }

    private func leaseObserved(nested: Bool, since start: MonotonicTime?) throws -> Connection {
        do {
            return try leaseFromPool(nested: nested)
        } catch {
            if let start {
                let wait = MonotonicTime.now.nanoseconds(since: start)
                ThreadChain.current.waited += wait
                store.events.emitWait(wait, error)
            }
            throw error
        }
    }

    private func leaseFromPool(nested: Bool) throws -> Connection {
        do {
            if nested {
                return try store.pool.leaseNested(
                    patience: Patience(
                        until: deadline, isOver: { [relay] in relay?.isCancelled ?? false },
                        cancelling: relay?.cancelling))
            }
            var waiting: Int?
            defer { if let waiting { relay?.detach(waiting) } }
            return try store.pool.lease(timeout: longestWait) { cancel in
                guard let relay else { return true }
                waiting = relay.attach(cancel)
                return waiting != nil
            }
        } catch let error as PostgresError where error.code == .poolClosed {
            throw StoreError.closed(error)
        } catch let error as PostgresError where error.code == .poolTimeout && !isLate {
            throw StoreError.overloaded(after: store.settings.connectionWait, error)
        } catch let error as PostgresError {
            // Whatever kept the connection from coming, the time that the program gave is over.
            if relay?.isCancelled == true { throw CancellationError() }
            guard isLate else { throw error }
            throw PostgresError(
                .deadlineExceeded,
                "The timeout of perform(timeout:) expired before a connection was available: \(error.message)",
                phase: .connect)
        }
    }

    /// Drops the changes that a rollback would restore, because their context has released its objects.
    func forgetUndoings() { undoings = [] }

    var hasUndoings: Bool { !undoings.isEmpty }

    /// Adds a closure that restores the context if the unit's transaction does not commit.
    func onRollback(_ undo: @escaping () -> Void) {
        hasWritten = true
        undoings.append(undo)
    }

    /// Adds a closure to run once the unit's transaction is committed, and never otherwise.
    func afterCommit(_ telling: @escaping () -> Void) { tellings.append(telling) }

    /// Records that the unit may have written data that no object of the context shows.
    func noteWriting() { hasWritten = true }

    /// Records that the unit wrote data, which is committed unless the unit is a transaction.
    func noteStoring() {
        hasWritten = true
        if isTransaction { return }
        ThreadChain.current.stored += 1
        store.commits.notify()
    }

    /// Returns the error of a unit that is not run again because a part of it would be stored twice.
    static func refusalToRepeat(after error: any Error) -> any Error {
        let reason =
            "The unit of work was not retried, because a part of it is already saved. Pass an isolation to "
            + "perform and save only with its context, so that everything is saved or nothing."
        switch error {
        case var error as SaveError:
            error.message = "\(error.message.asSentence) \(reason)"
            return error
        case var error as FetchError:
            error.message = "\(error.message.asSentence) \(reason)"
            return error
        default: return error
        }
    }

    /// Commits the unit's transaction, if it has one and used it; one round trip.
    ///
    /// - Throws: `SaveError` with `outcomeUnknown` if the connection was lost, or `notCommitted` if it is
    ///   known that nothing was stored. `deadlock`, `serializationFailure`, `deadlineExceeded`; otherwise
    ///   `database`.
    func commit() throws {
        guard isTransaction, !isBorrowing, let connection else { return }
        let token = hasWritten ? store.tokens?.next() : nil
        do {
            try commit(connection, token)
        } catch let error as PostgresError {
            guard error.mayHaveCommitted else {
                if let concurrencyFailure = error.concurrencyFailure {
                    throw SaveError(concurrencyFailure, databaseError: error)
                }
                if error.isOfSession {
                    throw SaveError(
                        .database,
                        "The connection was lost before the transaction was committed. Nothing was saved. Run the unit of "
                            + "work again.", databaseError: error)
                }
                throw SaveError(
                    .database,
                    "The transaction was not committed. Nothing was saved. Correct the cause that it names, and run the "
                        + "unit of work again.", databaseError: error)
            }
            // Where nothing was written, both outcomes are the same.
            guard hasWritten,
                try store.wasStored(
                    token?.uuid, backend: connection.backendProcessID, deadline: deadline, after: error)
            else { throw Store.notCommitted(error) }
        }
        undoings = []
        if hasWritten {
            ThreadChain.current.stored += 1
            store.commits.notify()
        }
        for telling in tellings { telling() }
        tellings = []
    }

    /// Commits, and writes the token and what closes the unit in the same round trip.
    private func commit(_ connection: Connection, _ token: SaveToken?) throws {
        let insertion = token?.insertion(mayPurge: isolation == .readCommitted)
        let statements = try (insertion.map { [$0] } ?? []) + (closing?.closingStatements() ?? [])
        if statements.isEmpty { return try connection.commit() }
        var batch = Batch()
        for statement in statements {
            batch.add(statement.sql, statement.parameters, about: StatementSubject(.insert))
        }
        batch.add("COMMIT", about: StatementSubject(.commit))
        do {
            _ = try connection.run(batch)
        } catch var error as PostgresError {
            // The server itself answered a statement before COMMIT with its end: it never came to COMMIT.
            if let index = error.batchIndex, index < statements.count, error.isServersAnswer {
                error.mayHaveCommitted = false
            }
            throw error
        }
    }

    /// Rolls back the unit's transaction, and restores the contexts' unsaved changes.
    func rollback() {
        if isTransaction, !isBorrowing, let connection, connection.isUsable,
            connection.transactionStatus != .idle
        {
            // A rollback that fails leaves a connection that the pool replaces; there is nothing to add to that.
            try? connection.rollback()
        }
        for undo in undoings.reversed() { undo() }
        undoings = []
        tellings = []
    }

    /// Returns the connection to the pool.
    func end() {
        guard let connection, !isBorrowing else { return }
        if let interrupt { relay?.detach(interrupt) }
        interrupt = nil
        connection.deadline = nil
        let start = connection.observedStart
        connection.endObservation()
        ThreadChain.current.leases -= 1
        self.connection = nil
        store.pool.release(connection)
        // Observers that read the pool's numbers find the connection idle.
        store.observed._withUnsafeGuaranteedRef { events in
            guard events.isOn else { return }
            // A connection is leased for a statement, which has begun since. Another clock would cost more than it shows.
            var use: Int64 = 0
            if let start { use = MonotonicTime.now.nanoseconds(since: start) }
            events.emitUse(use)
        }
    }
}

/// A part of a unit of work that is written in the round trip of its COMMIT.
protocol CommitPart: AnyObject {
    /// Returns the statements, in their order.
    func closingStatements() throws -> [(sql: String, parameters: Parameters)]
}
