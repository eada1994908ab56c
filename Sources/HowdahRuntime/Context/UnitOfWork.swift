import PQClient

/// One run of `perform`: at most one connection, leased when it is first needed and returned at the end.
///
/// With an isolation level it is also one transaction around the whole run, in which each save is a savepoint.
final class UnitOfWork {
    private let store: Store
    private let relay: CancellationRelay?
    private let deadline: ContinuousClock.Instant?
    private let isolation: Isolation?
    private var connection: Connection?
    /// Puts back what a save of this transaction took off the list of changes; run in reverse on rollback.
    private var undoings: [() -> Void] = []

    init(
        store: Store, relay: CancellationRelay? = nil, deadline: ContinuousClock.Instant? = nil,
        isolation: Isolation? = nil
    ) {
        self.store = store
        self.relay = relay
        self.deadline = deadline
        self.isolation = isolation
    }

    /// Whether saves are savepoints of a transaction that ends with the unit.
    var isTransaction: Bool { isolation != nil }

    /// The unit's connection; waits for one in the order of arrival, unless this thread holds another already.
    ///
    /// - Throws: `CancellationError` when the task is cancelled, `PostgresError` when no connection is to be had.
    func lease() throws -> Connection {
        if relay?.isCancelled == true { throw CancellationError() }
        if let connection {
            if connection.isUsable || isTransaction { return connection }
            // It broke under an earlier statement, whose error was thrown; the next one may do better.
            end()
        }
        let chain = ThreadChain.current
        let leased = try leaseFromPool(nested: chain.leases > 0)
        leased.deadline = deadline
        leased.observer = store.log.observer
        if let relay, !relay.attach(leased.canceller) {
            store.pool.release(leased)
            throw CancellationError()
        }
        chain.leases += 1
        connection = leased
        if let isolation {
            do {
                try leased.begin(isolation: isolation)
            } catch {
                // Kept, it would run what comes next outside of any transaction.
                end()
                throw error
            }
        }
        return leased
    }

    private var longestWait: Duration {
        guard let deadline else { return store.settings.connectionWait }
        return min(store.settings.connectionWait, max(.zero, ContinuousClock.now.duration(to: deadline)))
    }

    private func leaseFromPool(nested: Bool) throws -> Connection {
        do {
            return nested ? try store.pool.leaseNested() : try store.pool.lease(timeout: longestWait)
        } catch let error as PostgresError where error.code == .poolClosed {
            throw StoreError(
                .closed, "The container was closed; open it again before using it", underlying: error)
        }
    }

    /// Forgets the changes that a rollback would bring back, because their context was told to forget its objects.
    func forgetUndoings() { undoings = [] }

    var hasUndoings: Bool { !undoings.isEmpty }

    /// Remembers how to restore the context if the unit's transaction does not commit.
    func onRollback(_ undo: @escaping () -> Void) { undoings.append(undo) }

    /// Commits the unit's transaction, where it has one and anything was done in it.
    ///
    /// - Throws: `SaveError` with `outcomeUnknown` where the connection broke meanwhile, else with `database`.
    func commit() throws {
        guard isTransaction, let connection else { return }
        do {
            try connection.commit()
        } catch let error as PostgresError {
            guard error.mayHaveCommitted else {
                throw SaveError(
                    .database, "The transaction was not committed; nothing was stored", underlying: error)
            }
            throw SaveError(
                .outcomeUnknown,
                "The connection broke while the transaction was being committed; fetch the objects to see whether it was.",
                underlying: error)
        }
        undoings = []
    }

    /// Ends the unit's transaction without effect, and restores the contexts' pending changes.
    func rollback() {
        if isTransaction, let connection, connection.isUsable, connection.transactionStatus != .idle {
            // A rollback that fails leaves a connection that the pool replaces; there is nothing to add to that.
            try? connection.rollback()
        }
        for undo in undoings.reversed() { undo() }
        undoings = []
    }

    /// Gives the connection back.
    func end() {
        guard let connection else { return }
        relay?.detach()
        connection.deadline = nil
        connection.observer = nil
        ThreadChain.current.leases -= 1
        self.connection = nil
        store.pool.release(connection)
    }
}
