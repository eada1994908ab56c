extension ConnectionPool {
    /// The opening of one connection for the first waiter.
    final class Opening: PoolWork {
        private let pool: ConnectionPool
        private let id: PoolStateMachine.ConnectionID

        init(pool: ConnectionPool, id: PoolStateMachine.ConnectionID) {
            self.pool = pool
            self.id = id
        }

        func run() {
            do {
                let start = ContinuousClock.now
                let connection = try pool.connect()
                let time = start.duration(to: .now)
                pool.didOpen(id, connection)
                // Late, so that an observer that itself needs a connection does not wait for this one.
                pool.noteOpening(time)
            } catch {
                pool.didFailToOpen(id, error)
            }
        }
    }

    func connect(_ patience: Patience = Patience()) throws -> Connection {
        let connection = try Connection(configuration, patience: patience)
        try prepare(connection)
        connection.observer = nil
        return connection
    }

    private func didOpen(_ id: PoolStateMachine.ConnectionID, _ connection: Connection) {
        deliver(
            state.broadcast { state in
                state.connections[id] = connection
                state.identifiers[ObjectIdentifier(connection)] = id
                state.refusal = nil
                return Self.deliveries(state.machine.opened(id, now: .now), &state)
            })
    }

    private func didFailToOpen(_ id: PoolStateMachine.ConnectionID, _ error: any Error) {
        let refusal = (error as? PostgresError).flatMap { $0.isAboutCapacity ? $0 : nil }
        let deliveries = state.broadcast { state in
            state.refusal = refusal ?? state.refusal
            return Self.deliveries(state.machine.openingFailed(id, isRefusal: refusal != nil), &state)
        }
        // The waiter learns the real reason.
        deliver(
            deliveries.map { delivery in
                guard case .hand(let waiter, .failure) = delivery else { return delivery }
                return .hand(waiter, .failure(error))
            })
    }

    /// Opens connections again after a pause, in which the server can close others.
    func retry(after pause: Duration) {
        Task {
            try? await Task.sleep(for: pause)
            deliver(state.withLock { Self.deliveries($0.machine.retry(), &$0) })
        }
    }
}

extension PostgresError {
    /// Indicates whether the server has no room for a connection, or is about to start or to end.
    var isAboutCapacity: Bool {
        sqlState == SQLState.tooManyConnections || sqlState == SQLState.cannotConnectNow
    }
}
