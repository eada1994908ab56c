internal import Foundation

extension ConnectionPool {
    /// Leases a connection; blocks until one is free.
    ///
    /// - Parameter timeout: The maximum time to wait.
    /// - Throws: ``PostgresError`` with code `poolTimeout`, `poolClosed` or `connectionFailed`.
    public func lease(timeout: Duration) throws -> sending Connection {
        try lease(timeout: timeout) { _ in true }
    }

    /// Leases a connection; blocks until one is free or the caller ends the waiting.
    ///
    /// - Parameter whenWaiting: The closure that is called if none is free, with a closure that ends the
    ///   waiting. If it returns false, the waiting ends at once.
    /// - Throws: ``PostgresError`` as ``lease(timeout:)-(Duration)``; `CancellationError` if the waiting was
    ///   ended.
    package func lease(
        timeout: Duration, whenWaiting: (_ cancel: @escaping @Sendable () -> Void) -> Bool
    ) throws -> sending Connection {
        if let outcome = takeIdle() { return try outcome.result.get() }
        let deadline = ContinuousClock.now + timeout
        let slot = Monitor<Outcome?>(nil)
        let waiter = makeWaiter()
        enqueue(.blocked(slot), waiter, deadline)
        if !whenWaiting({ [self] in cancel(waiter) }) { cancel(waiter) }
        if let outcome = slot.wait(until: deadline, { $0 }) { return try outcome.result.get() }
        expire()
        // Whatever decided first, somebody answers: the expiry above, or a connection that came just then.
        let outcome = slot.wait(until: nil) { $0 }
        return try outcome.unsafelyUnwrapped.result.get()
    }

    /// Leases an idle connection at once; nil if there is none, or the pool is closed.
    package func leaseIdle() -> sending Connection? {
        guard let outcome = takeIdle() else { return nil }
        return try? outcome.result.get()
    }

    /// Leases a connection; suspends until one is free.
    ///
    /// - Parameter timeout: The maximum time to wait.
    /// - Throws: ``PostgresError`` with code `poolTimeout`, `poolClosed` or `connectionFailed`;
    ///   `CancellationError` if the task is cancelled while it waits.
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

    /// Leases a connection for work that already holds one; never waits for a free one.
    ///
    /// If none is idle, it opens one on this thread, even beyond the maximum. Such a connection is closed at
    /// its return.
    ///
    /// - Throws: ``PostgresError`` with code `poolClosed` or `connectionFailed`.
    public func leaseNested() throws -> sending Connection { try leaseNested(patience: Patience()) }

    /// Leases a connection for work that already holds one; opens it only while the patience lasts.
    package func leaseNested(patience: Patience) throws -> sending Connection {
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
                let start = ContinuousClock.now
                let outcome = Outcome(result: .success(try connect(patience)))
                let time = start.duration(to: .now)
                let connection = try outcome.result.get()
                state.withLock { state in
                    state.connections[id] = connection
                    state.identifiers[ObjectIdentifier(connection)] = id
                }
                noteOpening(time)
                return try outcome.result.get()
            } catch {
                finish(id, isReusable: false)
                throw error
            }
        }
    }

    /// Leases a connection for the duration of `body`, even if `body` throws.
    ///
    /// It suspends until a connection is free. Then `body` blocks its thread during each round trip.
    ///
    /// - Throws: ``PostgresError`` with code `poolTimeout`, `poolClosed` or `connectionFailed`;
    ///   `CancellationError` if the task is cancelled while it waits; and the errors of `body`.
    public func withConnection<Result>(
        timeout: Duration, _ body: (Connection) throws -> sending Result
    ) async throws -> sending Result {
        let connection = try await lease(timeout: timeout)
        defer { release(connection) }
        return try body(connection)
    }

    /// Returns a connection to the pool; the caller must not use it any more.
    ///
    /// Call this once for each lease, on every path. The pool cannot distinguish a second call from that of a
    /// later lease. If a connection does not come back, the pool has one less. ``withConnection(timeout:_:)``
    /// makes the call for you.
    ///
    /// An open transaction is rolled back. If the pool cleans sessions, the session gets its first state
    /// again. Each costs a round trip. A connection is closed, and later replaced, if it is lost, if its
    /// session cannot be cleaned, or if its server refuses to write.
    public func release(_ connection: Connection) {
        let id = state.withLock { $0.identifiers[ObjectIdentifier(connection)] }
        guard let id else {
            preconditionFailure(
                "The pool did not lease this connection, or it was released before. Release it once, to its own pool."
            )
        }
        connection.endObservation()
        connection.noticeHandler = nil
        // Late, so that a server that does not answer is waited for once more only.
        connection.deadline = .now
        if connection.isUsable { try? connection.rollback() }
        connection.deadline = nil
        connection.resetCancellation()
        if cleansSessions { connection.mayBeChanged = true }
        connection.clean()
        connection.statementTimeout = configuration.statementDeadline
        let isClean = connection.isUsable && connection.transactionStatus == .idle
        finish(id, isReusable: isClean && !connection.isReadOnly)
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

    /// Returns an idle connection that still answers; nil if there is not one.
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
