internal import Foundation

extension ConnectionPool {
    /// Takes a connection and blocks until one is free.
    ///
    /// - Throws: ``PostgresError`` with code `poolTimeout`, `poolClosed` or `connectionFailed`.
    public func lease(timeout: Duration) throws -> sending Connection {
        if let outcome = takeIdle() { return try outcome.result.get() }
        let deadline = ContinuousClock.now + timeout
        let slot = Monitor<Outcome?>(nil)
        enqueue(.blocked(slot), makeWaiter(), deadline)
        if let outcome = slot.wait(until: deadline, { $0 }) { return try outcome.result.get() }
        expire()
        // Whatever decided first, somebody answers: the expiry above, or a connection that came just then.
        let outcome = slot.wait(until: nil) { $0 }
        return try outcome.unsafelyUnwrapped.result.get()
    }

    /// Takes a connection and suspends until one is free.
    ///
    /// - Throws: ``PostgresError`` with code `poolTimeout`, `poolClosed` or `connectionFailed`;
    ///   `CancellationError` when the task is cancelled while it waits.
    public func lease(timeout: Duration) async throws -> sending Connection {
        try Task.checkCancellation()
        if let outcome = takeIdle() { return try outcome.result.get() }
        let deadline = ContinuousClock.now + timeout
        let waiter = makeWaiter()
        let timer = Task {
            try await Task.sleep(until: deadline, clock: .continuous)
            expire()
        }
        defer { timer.cancel() }
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                enqueue(.suspended(continuation), waiter, deadline)
                // A cancellation that came before there was anything to cancel.
                if Task.isCancelled { cancel(waiter) }
            }
        } onCancel: {
            cancel(waiter)
        }
        return try outcome.result.get()
    }

    /// Takes a connection for work that holds one already; never waits for a free one.
    ///
    /// When none is idle, opens one on this thread, beyond the maximum if need be; such a connection is closed
    /// when it comes back.
    /// - Throws: ``PostgresError`` with code `poolClosed` or `connectionFailed`.
    public func leaseNested() throws -> sending Connection {
        if let outcome = takeIdle() { return try outcome.result.get() }
        switch state.withLock({ $0.machine.leaseNested() }) {
        case .grant(let id):
            let outcome = state.withLock { state in
                state.connections[id].map { Outcome(result: .success($0)) }
            }
            return try (outcome ?? Outcome(result: .failure(Self.closedError))).result.get()
        case .closed: throw Self.closedError
        case .open(let id):
            do {
                let outcome = Outcome(result: .success(try connect()))
                let connection = try outcome.result.get()
                state.withLock { state in
                    state.connections[id] = connection
                    state.identifiers[ObjectIdentifier(connection)] = id
                }
                return try outcome.result.get()
            } catch {
                finish(id, isReusable: false)
                throw error
            }
        }
    }

    /// Gives a connection back; the caller must not use it any more.
    ///
    /// An open transaction is rolled back, which costs a round trip; a connection that is lost, or was used for
    /// something that cannot be undone, is closed and replaced when somebody needs it.
    public func release(_ connection: Connection) {
        let id = state.withLock { $0.identifiers[ObjectIdentifier(connection)] }
        guard let id else {
            preconditionFailure("Release each leased connection once, to the pool it came from.")
        }
        connection.deadline = nil
        connection.observer = nil
        connection.noticeHandler = nil
        connection.resetCancellation()
        if connection.isUsable { try? connection.rollback() }
        finish(id, isReusable: connection.isUsable && connection.transactionStatus == .idle)
    }

    private func finish(_ id: PoolStateMachine.ConnectionID, isReusable: Bool) {
        deliver(
            state.broadcast { state in
                Self.deliveries(
                    state.machine.release(id, isReusable: isReusable, now: .now, user: Self.currentThread),
                    &state)
            })
    }

    private static var currentThread: PoolStateMachine.User {
        #if canImport(Darwin)
        UInt(bitPattern: pthread_self())
        #else
        UInt(pthread_self())
        #endif
    }

    /// An idle connection that still answers, if there is one.
    private func takeIdle() -> Outcome? {
        while true {
            let taken = state.withLock { state -> (PoolStateMachine.ConnectionID, Outcome)? in
                guard let id = state.machine.takeIdle(for: Self.currentThread),
                    let connection = state.connections[id]
                else {
                    return nil
                }
                return (id, Outcome(result: .success(connection)))
            }
            guard let taken else { return nil }
            if case .success(let connection) = taken.1.result, connection.checkLiveness() { return taken.1 }
            finish(taken.0, isReusable: false)
        }
    }

    private func makeWaiter() -> PoolStateMachine.WaiterID {
        state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
    }

    private func enqueue(
        _ waiter: Waiter, _ id: PoolStateMachine.WaiterID, _ deadline: ContinuousClock.Instant
    ) {
        deliver(
            state.withLock { state in
                state.waiters[id] = waiter
                return Self.deliveries(state.machine.lease(id, deadline: deadline), &state)
            })
    }

    private func expire() {
        deliver(state.withLock { state in Self.deliveries(state.machine.expire(now: .now), &state) })
    }

    private func cancel(_ id: PoolStateMachine.WaiterID) {
        deliver(
            state.withLock { state in
                guard state.machine.cancel(id), let waiter = state.waiters.removeValue(forKey: id) else {
                    return []
                }
                return [.hand(waiter, .failure(CancellationError()))]
            })
    }
}
