internal import Synchronization

/// A limited number of connections, leased in the order of the requests.
///
/// Connections are opened if they are needed, on threads of the pool. A lost connection is replaced. If one
/// comes back inside a transaction, the transaction is rolled back.
public final class ConnectionPool: Sendable {
    /// The state that threads share about one waiter.
    ///
    /// `@unchecked Sendable` is sound: only the one that takes the outcome has the connection.
    struct Outcome: @unchecked Sendable {
        let result: Result<Connection, any Error>
    }

    enum Waiter {
        case blocked(Monitor<Outcome?>)
        case suspended(CheckedContinuation<Outcome, Never>)
    }

    struct State {
        var machine: PoolStateMachine
        var connections: [PoolStateMachine.ConnectionID: Connection] = [:]
        var identifiers: [ObjectIdentifier: PoolStateMachine.ConnectionID] = [:]
        var waiters: [PoolStateMachine.WaiterID: Waiter] = [:]
        var nextWaiter = 0
        /// The server's last reason to open no further connection, if it refused one.
        var refusal: PostgresError?
    }

    /// Work for the time after the lock.
    enum Delivery {
        case hand(Waiter, Result<Connection, any Error>)
        case open(PoolStateMachine.ConnectionID)
        case close(Connection)
        case retry(Duration)
    }

    let state: Monitor<State>
    package let configuration: ConnectionConfiguration
    let prepare: @Sendable (Connection) throws -> Void
    /// Indicates whether each session is cleaned at its return, because any statement may have changed it.
    let cleansSessions: Bool
    let openers: WorkerPool
    /// The closure that is called with the time that each connection took to open.
    private let whenOpened = Mutex<(@Sendable (Duration) -> Void)?>(nil)

    /// Creates a pool; opens nothing yet.
    ///
    /// - Parameters:
    ///   - configuration: The server, the user and the options of each connection.
    ///   - maximumConnections: The maximum number of connections, without nested leases.
    ///   - idleTimeout: The time after which an idle connection expires. It is closed at the next return of
    ///     another one.
    ///   - cleansSessions: Indicates whether each session gets its first state again at its return, which
    ///     costs a round trip. Pass false if your statements change nothing of it: no setting, role,
    ///     temporary table, advisory lock or cursor.
    ///   - prepare: The closure that is called once with each new connection, on a thread of the pool. If it
    ///     throws, the connection is refused.
    public init(
        configuration: ConnectionConfiguration, maximumConnections: Int,
        idleTimeout: Duration = .seconds(600), cleansSessions: Bool = true,
        prepare: @escaping @Sendable (Connection) throws -> Void = { _ in }
    ) {
        precondition(maximumConnections > 0, "maximumConnections is less than 1. Set it to 1 or more.")
        self.configuration = configuration
        self.prepare = prepare
        self.cleansSessions = cleansSessions
        openers = WorkerPool(maximumThreads: min(4, maximumConnections), name: "howdah-connect")
        state = Monitor(
            State(machine: PoolStateMachine(maximum: maximumConnections, idleTimeout: idleTimeout)))
    }

    /// Calls a closure with the time that each connection takes to open from now on, on the thread that opens it.
    package func observeOpenings(_ body: @escaping @Sendable (Duration) -> Void) {
        whenOpened.withLock { $0 = body }
    }

    func noteOpening(_ time: Duration) { whenOpened.withLock(\.self)?(time) }

    /// The present numbers of connections and waiting callers.
    public var status: PoolStatus {
        state.withLock { state in
            PoolStatus(
                idle: state.machine.idle.count, leased: state.machine.leased.count,
                opening: state.machine.opening.count, waiting: state.machine.waiters.count,
                maximum: state.machine.maximum)
        }
    }

    /// Separates the actions of the machine while the lock is held.
    static func deliveries(_ actions: [PoolStateMachine.Action], _ state: inout State) -> [Delivery] {
        actions.compactMap { action in
            switch action {
            case .grant(let id, let waiter):
                guard let connection = state.connections[id] else { return nil }
                return state.waiters.removeValue(forKey: waiter).map { .hand($0, .success(connection)) }
            case .fail(let id, let failure):
                let error = error(failure, isInUse: !state.machine.leased.isEmpty, state.refusal)
                return state.waiters.removeValue(forKey: id).map { .hand($0, .failure(error)) }
            case .open(let id): return .open(id)
            case .retry(let pause): return .retry(pause)
            case .close(let id):
                guard let connection = state.connections.removeValue(forKey: id) else { return nil }
                state.identifiers[ObjectIdentifier(connection)] = nil
                return .close(connection)
            }
        }
    }

    func deliver(_ deliveries: [Delivery]) {
        for delivery in deliveries {
            switch delivery {
            case .hand(.blocked(let slot), let result): slot.signal { $0 = Outcome(result: result) }
            case .hand(.suspended(let continuation), let result):
                continuation.resume(returning: Outcome(result: result))
            case .open(let id): openers.enqueue(Opening(pool: self, id: id))
            case .close(let connection): connection.close()
            case .retry(let pause): retry(after: pause)
            }
        }
    }

    private static func error(
        _ failure: PoolStateMachine.Failure, isInUse: Bool, _ refusal: PostgresError?
    ) -> PostgresError {
        switch failure {
        case .timeout where refusal != nil:
            var error = PostgresError(
                .poolTimeout,
                "No connection became free in time, and the server refused another one: "
                    + "\(refusal?.message ?? ""). Lower maximumConnections, or raise the server's "
                    + "max_connections.", phase: .connect)
            error.sqlState = refusal?.sqlState
            return error
        case .timeout where !isInUse:
            return PostgresError(
                .connectionFailed,
                "The server did not answer in time. Check that it runs and that its address is right.",
                phase: .connect)
        case .timeout:
            return PostgresError(
                .poolTimeout,
                "No connection became free in time. Raise maximumConnections or shorten the units of work.",
                phase: .connect)
        case .closed: return closedError
        case .openingFailed:
            return PostgresError(
                .connectionFailed,
                "No connection could be opened. Check the address of the server and that the server runs.",
                phase: .connect)
        }
    }

    static var closedError: PostgresError {
        PostgresError(.poolClosed, "The pool was closed. Use another pool.", phase: .connect)
    }
}

/// The numbers of connections and waiting callers of a pool at one moment.
public struct PoolStatus: Hashable, Sendable {
    /// The number of connections that are not in use.
    public let idle: Int
    /// The number of connections in use.
    public let leased: Int
    /// The number of connections that are being opened.
    public let opening: Int
    /// The number of callers that wait for a connection.
    public let waiting: Int
    /// The maximum number of connections.
    public let maximum: Int

    package init(idle: Int, leased: Int, opening: Int, waiting: Int, maximum: Int) {
        self.idle = idle
        self.leased = leased
        self.opening = opening
        self.waiting = waiting
        self.maximum = maximum
    }
}
