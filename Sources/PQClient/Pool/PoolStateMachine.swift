/// The decisions of a ``ConnectionPool``, as a plain value: no lock, no clock, no socket.
///
/// Each event returns the actions for its caller. Waiters are served in the order of their requests. A
/// connection goes to the first waiter, even if it was opened for another.
struct PoolStateMachine {
    typealias ConnectionID = Int
    typealias WaiterID = Int
    typealias Instant = ContinuousClock.Instant
    /// A thread that uses connections repeatedly.
    typealias User = UInt

    enum Action: Equatable {
        case grant(ConnectionID, to: WaiterID)
        case open(ConnectionID)
        case close(ConnectionID)
        case fail(WaiterID, Failure)
        /// Calls `retry()` after a while.
        case retry(Duration)
    }

    enum Failure: Equatable { case timeout, closed, openingFailed }

    enum NestedAnswer: Equatable {
        case grant(ConnectionID)
        case open(ConnectionID)
        case closed
    }

    struct Waiter {
        let id: WaiterID
        let deadline: Instant
    }

    struct IdleConnection {
        let id: ConnectionID
        let since: Instant
        let lastUser: User?
    }

    let maximum: Int
    let idleTimeout: Duration
    private(set) var idle: [IdleConnection] = []
    private(set) var leased: Set<ConnectionID> = []
    private(set) var opening: Set<ConnectionID> = []
    private(set) var waiters: [Waiter] = []
    private(set) var isClosed = false
    private(set) var nestedCount = 0
    private var nextID = 0
    /// The next pause after a server that has no room refused a connection.
    private var pause: Duration = shortestPause
    /// The connections that are being opened and were not the only ones.
    private var crowded: Set<ConnectionID> = []
    /// Indicates whether no connection is opened since the server refused one.
    private(set) var isPausing = false

    private static let shortestPause: Duration = .milliseconds(100)
    private static let longestPause: Duration = .seconds(5)

    init(maximum: Int, idleTimeout: Duration) {
        self.maximum = maximum
        self.idleTimeout = idleTimeout
    }

    var total: Int { idle.count + leased.count + opening.count }
    var isDrained: Bool { isClosed && total == 0 }

    /// Returns an idle connection for a user if nobody waits: the user's last one, or the one used last.
    ///
    /// The kernel keeps a thread and its server process on one core, if the pairs stay the same. Otherwise
    /// each answer must wake a thread on another core, which costs more than the statement.
    mutating func takeIdle(for user: User? = nil) -> ConnectionID? {
        guard !idle.isEmpty else { return nil }
        let own = user.flatMap { user in idle.lastIndex { $0.lastUser == user } }
        let connection = idle.remove(at: own ?? idle.count - 1)
        leased.insert(connection.id)
        return connection.id
    }

    mutating func lease(_ waiter: WaiterID, deadline: Instant) -> [Action] {
        if isClosed { return [.fail(waiter, .closed)] }
        waiters.append(Waiter(id: waiter, deadline: deadline))
        return settle()
    }

    /// Returns a connection for work that already holds one, and so must not wait for others.
    mutating func leaseNested() -> NestedAnswer {
        if let id = takeIdle() { return .grant(id) }
        if isClosed { return .closed }
        let id = makeID()
        leased.insert(id)
        if total > maximum { nestedCount += 1 }
        return .open(id)
    }

    mutating func opened(_ id: ConnectionID, now: Instant) -> [Action] {
        opening.remove(id)
        pause = Self.shortestPause
        crowded.remove(id)
        if isClosed { return [.close(id)] }
        idle.append(IdleConnection(id: id, since: now, lastUser: nil))
        return settle()
    }

    /// Fails one waiter for each failed attempt, so that a dead server does not get endless requests.
    ///
    /// If the server has no room for a further connection, the waiters wait for the existing ones. After a
    /// pause another one is tried.
    mutating func openingFailed(_ id: ConnectionID, isRefusal: Bool = false) -> [Action] {
        opening.remove(id)
        let wasCrowded = crowded.remove(id) != nil
        if isRefusal, !isClosed, total > 0 {
            if isPausing { return settle() }
            isPausing = true
            defer { pause = min(pause * 2, Self.longestPause) }
            return [.retry(pause)] + settle()
        }
        // All of them were refused, because the server counts those that it is about to refuse. One is tried alone.
        if isRefusal, !isClosed, isPausing, wasCrowded { return settle() }
        guard !waiters.isEmpty else { return settle() }
        return [.fail(waiters.removeFirst().id, .openingFailed)] + settle()
    }

    /// Ends the pause after a refusal.
    mutating func retry() -> [Action] {
        isPausing = false
        return settle()
    }

    mutating func release(
        _ id: ConnectionID, isReusable: Bool, now: Instant, user: User? = nil
    ) -> [Action] {
        leased.remove(id)
        var actions = reap(now: now)
        if isReusable, !isClosed, total < maximum {
            idle.append(IdleConnection(id: id, since: now, lastUser: user))
        } else {
            actions.append(.close(id))
        }
        nestedCount = min(nestedCount, max(0, total - maximum))
        return actions + settle()
    }

    /// Removes a waiter. If it was served already, it returns false.
    mutating func cancel(_ waiter: WaiterID) -> Bool {
        guard let index = waiters.firstIndex(where: { $0.id == waiter }) else { return false }
        waiters.remove(at: index)
        return true
    }

    mutating func expire(now: Instant) -> [Action] {
        let late = waiters.filter { $0.deadline <= now }
        waiters.removeAll { $0.deadline <= now }
        return late.map { .fail($0.id, .timeout) }
    }

    /// Refuses new work; leased connections close when they come back.
    mutating func close() -> [Action] {
        isClosed = true
        let actions = idle.map { Action.close($0.id) } + waiters.map { Action.fail($0.id, .closed) }
        idle = []
        waiters = []
        return actions
    }

    private mutating func reap(now: Instant) -> [Action] {
        let stale = idle.filter { $0.since.duration(to: now) >= idleTimeout }
        guard !stale.isEmpty else { return [] }
        idle.removeAll { $0.since.duration(to: now) >= idleTimeout }
        return stale.map { .close($0.id) }
    }

    private mutating func settle() -> [Action] {
        var actions: [Action] = []
        while !waiters.isEmpty, let id = takeIdle() {
            actions.append(.grant(id, to: waiters.removeFirst().id))
        }
        while opening.count < waiters.count, total < maximum, !isPausing || total == 0 {
            let id = makeID()
            opening.insert(id)
            actions.append(.open(id))
        }
        if opening.count > 1 { crowded = opening }
        return actions
    }

    private mutating func makeID() -> ConnectionID {
        nextID += 1
        return nextID
    }
}
