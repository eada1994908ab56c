import PQClient
import Synchronization

/// A number of places that units of work wait for in the order of their coming, without a thread.
final class AdmissionQueue: Sendable {
    /// The end of a wait.
    enum Outcome {
        /// The place is taken until `leave()`.
        case admitted
        case cancelled
        case expired
        /// More waited already than may.
        case full
        case closed
    }

    private struct State {
        var free: Int
        /// Those that wait, in the order of their coming, and others that were told the outcome since.
        var line = FIFO<Int>()
        var waiters: [Int: CheckedContinuation<Outcome, Never>] = [:]
        var lastID = 0
        var isClosed = false

        /// The next that waits still.
        mutating func next() -> CheckedContinuation<Outcome, Never>? {
            while let id = line.popFirst() {
                if let waiter = waiters.removeValue(forKey: id) { return waiter }
            }
            return nil
        }
    }

    private let state: Mutex<State>

    init(places: Int) { state = Mutex(State(free: places)) }

    /// The number of units of work that wait.
    var waiting: Int { state.withLock(\.waiters.count) }

    /// Takes a place, and suspends until there is one.
    ///
    /// - Parameters:
    ///   - deadline: until when to wait; nil means for ever.
    ///   - limit: how many may wait already.
    nonisolated(nonsending)
        func enter(
            until deadline: ContinuousClock.Instant?, limit: Int = .max, _ relay: CancellationRelay
        ) async -> Outcome
    {
        if let outcome = state.withLock({ Self.takePlace(&$0, limit) }) { return outcome }
        var timer: Task<Void, any Error>?
        var interrupt: Int?
        let outcome = await withCheckedContinuation { continuation in
            guard let id = wait(continuation, limit) else { return }
            interrupt = relay.attach { [self] in end(id, .cancelled) }
            if interrupt == nil { end(id, .cancelled) }
            guard let deadline else { return }
            timer = Task {
                try await Task.sleep(until: deadline, clock: .continuous)
                end(id, .expired)
            }
        }
        timer?.cancel()
        if let interrupt { relay.detach(interrupt) }
        return outcome
    }

    /// Gives a place to the next that waits.
    func leave() {
        let next = state.withLock { state in
            let next = state.next()
            if next == nil { state.free += 1 }
            return next
        }
        next?.resume(returning: .admitted)
    }

    /// Sends away all that wait and all that come.
    func close() {
        let waiters = state.withLock { state in
            state.isClosed = true
            var waiters: [CheckedContinuation<Outcome, Never>] = []
            while let waiter = state.next() { waiters.append(waiter) }
            return waiters
        }
        for waiter in waiters { waiter.resume(returning: .closed) }
    }

    /// The outcome that is known at once; nil if the unit of work has to wait.
    private static func takePlace(_ state: inout State, _ limit: Int) -> Outcome? {
        if state.isClosed { return .closed }
        if state.free > 0 {
            state.free -= 1
            return .admitted
        }
        return state.waiters.count >= limit ? .full : nil
    }

    /// Puts a waiter in line; nil if it was told the outcome, as something changed since it looked.
    private func wait(_ waiter: CheckedContinuation<Outcome, Never>, _ limit: Int) -> Int? {
        var id = 0
        let outcome = state.withLock { state -> Outcome? in
            if let outcome = Self.takePlace(&state, limit) { return outcome }
            state.lastID += 1
            id = state.lastID
            state.line.append(id)
            state.waiters[id] = waiter
            return nil
        }
        guard let outcome else { return id }
        waiter.resume(returning: outcome)
        return nil
    }

    /// Tells a waiter the outcome, unless it was told before.
    private func end(_ id: Int, _ outcome: Outcome) {
        let waiter = state.withLock { $0.waiters.removeValue(forKey: id) }
        waiter?.resume(returning: outcome)
    }
}
