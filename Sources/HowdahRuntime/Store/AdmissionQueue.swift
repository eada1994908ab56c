import PQClient

/// A number of places that units of work wait for in the order of their arrival, without a thread.
final class AdmissionQueue: Sendable {
    /// The end of a wait.
    enum Outcome {
        /// The place is taken until `leave()`.
        case admitted
        case cancelled
        case expired
        /// Too many wait already.
        case full
        case closed
    }

    /// A position in the queue.
    enum Standing {
        /// The outcome was known at once.
        case known(Outcome)
        /// The number of the waiting unit.
        case inLine(Int)
    }

    /// A unit of work in line.
    private enum Waiter {
        /// It does not listen yet.
        case coming
        case waiting(CheckedContinuation<Outcome, Never>, until: ContinuousClock.Instant?)
        /// Its outcome was decided before it listened.
        case decided(Outcome)
    }

    private struct State {
        var free: Int
        /// The waiting units in the order of their arrival, and others whose outcome was decided since.
        var line = _FIFO<Int>()
        var waiters: [Int: Waiter] = [:]
        /// The number of units whose outcome is decided and that have not taken it yet.
        var decided = 0
        var lastID = 0
        var isClosed = false
        /// The number of units that run without a place, on threads of their callers.
        var guests = 0
        /// The callers that wait until no unit has a place.
        var drains: [CheckedContinuation<Void, Never>] = []
        /// The task that ends the waits whose time is over, and the time until which it sleeps; nil without one.
        var timer: (task: Task<Void, any Error>, end: ContinuousClock.Instant)?

        var waiting: Int { waiters.count - decided }

        func isIdle(of places: Int) -> Bool { free == places && guests == 0 }

        /// Decides the outcome of a unit.
        ///
        /// - Returns: True if it was open, and the continuation to resume if it listens.
        mutating func decide(_ id: Int, _ outcome: Outcome) -> (
            wasOpen: Bool, CheckedContinuation<Outcome, Never>?
        ) {
            switch waiters[id] {
            case nil, .decided: return (false, nil)
            case .coming:
                waiters[id] = .decided(outcome)
                decided += 1
                return (true, nil)
            case .waiting(let waiter, _):
                waiters[id] = nil
                return (true, waiter)
            }
        }

        mutating func takeDrains() -> [CheckedContinuation<Void, Never>] {
            defer { drains = [] }
            return drains
        }

        /// Decides the outcome of the next waiting unit; false if there is none.
        mutating func decideNext(_ outcome: Outcome) -> (wasOpen: Bool, CheckedContinuation<Outcome, Never>?)
        {
            while let id = line.popFirst() {
                let next = decide(id, outcome)
                if next.wasOpen { return next }
            }
            return (false, nil)
        }
    }

    private let places: Int
    private let state: Guarded<State>

    init(places: Int) {
        self.places = places
        state = Guarded(State(free: places))
    }

    /// Indicates whether all units are refused, because the container was closed.
    var isClosed: Bool { state.locked(\.isClosed) }

    /// The number of waiting units of work.
    var waiting: Int { state.locked(\.waiting) }

    /// Takes a place, or a position in line, at once, which fixes the order of arrival.
    ///
    /// If a unit is put in line, it must call ``wait(_:until:_:)``.
    ///
    /// - Parameters:
    ///   - limit: The number of units that may wait already.
    ///   - isLast: Indicates whether the unit belongs to the end of the container. It may have a free place of a closed
    ///     queue.
    func join(limit: Int = .max, isLast: Bool = false) -> Standing {
        state.locked { state in
            if state.isClosed, !isLast || state.free == 0 { return .known(.closed) }
            if state.free > 0 {
                state.free -= 1
                return .known(.admitted)
            }
            if state.waiting >= limit { return .known(.full) }
            state.lastID += 1
            state.line.append(state.lastID)
            state.waiters[state.lastID] = .coming
            return .inLine(state.lastID)
        }
    }

    /// Suspends until there is a place.
    ///
    /// - Parameter deadline: The end of the wait; nil for no limit.
    nonisolated(nonsending)
        func wait(
            _ standing: Standing, until deadline: ContinuousClock.Instant?, _ relay: CancellationRelay
        ) async -> Outcome
    {
        let id: Int
        switch standing {
        case .known(let outcome): return outcome
        case .inLine(let number): id = number
        }
        let interrupt = relay.attach { [self] in end(id, .cancelled) }
        if interrupt == nil { end(id, .cancelled) }
        let outcome = await withCheckedContinuation { continuation in
            if listen(continuation, id, until: deadline), let deadline { watch(deadline) }
        }
        if let interrupt { relay.detach(interrupt) }
        return outcome
    }

    /// Takes a place, and suspends until there is one.
    ///
    /// - Parameters:
    ///   - deadline: The end of the wait; nil for no limit.
    ///   - limit: The number of units that may wait already.
    ///   - isLast: Indicates whether the unit belongs to the end of the container.
    nonisolated(nonsending)
        func enter(
            until deadline: ContinuousClock.Instant?, limit: Int = .max, isLast: Bool = false,
            _ relay: CancellationRelay
        ) async -> Outcome
    {
        await wait(join(limit: limit, isLast: isLast), until: deadline, relay)
    }

    /// Gives the place to the next waiting unit.
    func leave() {
        let (next, drains) = state.locked { state in
            let next = state.decideNext(.admitted)
            if !next.wasOpen { state.free += 1 }
            return (next.1, state.isIdle(of: places) ? state.takeDrains() : [])
        }
        next?.resume(returning: .admitted)
        for drain in drains { drain.resume() }
    }

    /// Notes a unit that runs without a place; false if the queue is closed. ``leaveAsGuest()`` ends it.
    func enterAsGuest() -> Bool {
        state.locked { state in
            if state.isClosed { return false }
            state.guests += 1
            return true
        }
    }

    func leaveAsGuest() {
        let drains = state.locked { state in
            state.guests -= 1
            return state.isIdle(of: places) ? state.takeDrains() : []
        }
        for drain in drains { drain.resume() }
    }

    /// Suspends until no unit runs, or until the deadline. The queue has to be closed.
    func drain(until deadline: ContinuousClock.Instant) async {
        let timer = Task {
            try await Task.sleep(until: deadline, clock: .continuous)
            for drain in state.locked({ $0.takeDrains() }) { drain.resume() }
        }
        defer { timer.cancel() }
        await withCheckedContinuation { continuation in
            let isIdle = state.locked { state in
                let isIdle = state.isIdle(of: places) || deadline <= .now
                if !isIdle { state.drains.append(continuation) }
                return isIdle
            }
            if isIdle { continuation.resume() }
        }
    }

    /// Refuses all waiting and all later units.
    func close() {
        let waiters = state.locked { state in
            state.isClosed = true
            var waiters: [CheckedContinuation<Outcome, Never>] = []
            while case (true, let waiter) = state.decideNext(.closed) {
                if let waiter { waiters.append(waiter) }
            }
            return waiters
        }
        for waiter in waiters { waiter.resume(returning: .closed) }
    }

    /// Makes a unit listen; false if its outcome was decided before.
    private func listen(
        _ waiter: CheckedContinuation<Outcome, Never>, _ id: Int, until deadline: ContinuousClock.Instant?
    ) -> Bool {
        let outcome = state.locked { state -> Outcome? in
            guard case .decided(let outcome) = state.waiters[id] else {
                state.waiters[id] = .waiting(waiter, until: deadline)
                return nil
            }
            state.waiters[id] = nil
            state.decided -= 1
            return outcome
        }
        guard let outcome else { return true }
        waiter.resume(returning: outcome)
        return false
    }

    /// Decides the outcome of a unit, unless it was decided before.
    private func end(_ id: Int, _ outcome: Outcome) {
        let waiter = state.locked { $0.decide(id, outcome).1 }
        waiter?.resume(returning: outcome)
    }

    /// Ends waits at a deadline, by one timer for all: a task for each wait would cost more than the wait.
    private func watch(_ deadline: ContinuousClock.Instant) {
        state.locked { state in
            if let timer = state.timer, timer.end <= deadline { return }
            state.timer?.task.cancel()
            let task = Task.detached { [weak self] in
                var end: ContinuousClock.Instant? = deadline
                while let next = end {
                    try await Task.sleep(until: next, clock: .continuous)
                    end = self?.endLateWaits()
                }
            }
            state.timer = (task, deadline)
        }
    }

    /// Ends the waits whose time is over.
    ///
    /// - Returns: The next deadline; nil if there is none, or another timer has taken over.
    private func endLateWaits() -> ContinuousClock.Instant? {
        var late: [CheckedContinuation<Outcome, Never>] = []
        let next = state.locked { state -> ContinuousClock.Instant? in
            guard !Task.isCancelled else { return nil }
            let now = ContinuousClock.now
            var next: ContinuousClock.Instant?
            var ids: [Int] = []
            for (id, waiter) in state.waiters {
                guard case .waiting(_, .some(let deadline)) = waiter else { continue }
                if deadline > now { next = min(next ?? deadline, deadline) } else { ids.append(id) }
            }
            late = ids.sorted().compactMap { state.decide($0, .expired).1 }
            if let next { state.timer?.end = next } else { state.timer = nil }
            return next
        }
        for waiter in late { waiter.resume(returning: .expired) }
        return next
    }
}
