extension ConnectionPool {
    /// Opens one connection for whoever waits first.
    final class Opening: PoolWork {
        private let pool: ConnectionPool
        private let id: PoolStateMachine.ConnectionID

        init(pool: ConnectionPool, id: PoolStateMachine.ConnectionID) {
            self.pool = pool
            self.id = id
        }

        func run() {
            do {
                pool.didOpen(id, try pool.connect())
            } catch {
                pool.didFailToOpen(id, error)
            }
        }
    }

    func connect() throws -> Connection {
        let connection = try Connection(configuration)
        try prepare(connection)
        connection.observer = nil
        return connection
    }

    private func didOpen(_ id: PoolStateMachine.ConnectionID, _ connection: Connection) {
        deliver(
            state.broadcast { state in
                state.connections[id] = connection
                state.identifiers[ObjectIdentifier(connection)] = id
                return Self.deliveries(state.machine.opened(id, now: .now), &state)
            })
    }

    private func didFailToOpen(_ id: PoolStateMachine.ConnectionID, _ error: any Error) {
        let deliveries = state.broadcast { state in
            Self.deliveries(state.machine.openingFailed(id), &state)
        }
        // The waiter learns the real reason.
        deliver(
            deliveries.map { delivery in
                guard case .hand(let waiter, .failure) = delivery else { return delivery }
                return .hand(waiter, .failure(error))
            })
    }
}
