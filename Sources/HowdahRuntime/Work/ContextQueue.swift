import Dispatch
import PQClient
import Synchronization

/// The queue of a context: one piece of work at a time, on a thread that is borrowed only while there is
/// work.
///
/// Asynchronous work arrives as jobs of Swift tasks (this is a serial executor) and runs on the store's
/// worker threads. `performAndWait` runs on the caller's own thread: at once if the queue is free, otherwise
/// when the present owner hands the queue over. A waiter's work never runs on another thread, because
/// re-entrancy is recognised by the thread.
final class ContextQueue: SerialExecutor, ThreadWork, Sendable {
    private enum Phase {
        case idle
        /// In the worker pool's list, without a thread yet; the first one to arrive may take it.
        case ready
        /// Owned by a thread.
        case running
    }

    private enum Entry {
        case job(UnownedJob)
        case waiter(Waiter)
        /// The position of a unit of work without a thread.
        case reservation(Reservation)

        var waiter: Waiter? {
            if case .waiter(let waiter) = self { waiter } else { nil }
        }
    }

    /// A thread that waits for the queue.
    ///
    /// `@unchecked Sendable` is sound: `hasTurn` is only touched with the queue's lock held.
    private final class Waiter: @unchecked Sendable {
        let wakeUp = DispatchSemaphore(value: 0)
        var hasTurn = false
        /// A Boolean value that indicates whether the thread has other contexts, which others may wait for.
        let isEntangled: Bool

        init(isEntangled: Bool) { self.isEntangled = isEntangled }

        /// Waits to be woken; false if the deadline passes first.
        func wait(until deadline: ContinuousClock.Instant?) -> Bool {
            guard let deadline else {
                wakeUp.wait()
                return true
            }
            let rest = max(.zero, min(ContinuousClock.now.duration(to: deadline), .seconds(86_400)))
            return wakeUp.wait(timeout: .now() + rest / .seconds(1)) == .success
        }
    }

    /// The position of a unit of work that waits for a thread.
    ///
    /// `@unchecked Sendable` is sound: it is only touched with the queue's lock held.
    final class Reservation: @unchecked Sendable {
        fileprivate var job: UnownedJob?
        fileprivate var isVoid = false
    }

    private struct State {
        var phase = Phase.idle
        /// The reservation that has no job yet; units arrive one at a time.
        var reservation: Reservation?
        /// A Boolean value that indicates whether the owner is a thread in `runAndWait`, which may take long.
        var isOwnedByCaller = false
        var entries = _FIFO<Entry>()
    }

    private let line = AtomicLazyReference<AdmissionQueue>()
    /// The queue in which units of work wait for the context without a thread. Most contexts have one unit, and need
    /// none.
    var turns: AdmissionQueue { line.load() ?? line.storeIfNil(AdmissionQueue(places: 1)) }
    private let workers: WorkerPool
    private let state = Mutex(State())

    init(workers: WorkerPool) { self.workers = workers }

    /// Adds a task's job to the queue; the pool runs it when a thread is free.
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let wake = state.withLock { state in
            if let reservation = state.reservation {
                reservation.job = job
                state.reservation = nil
            } else {
                state.entries.append(.job(job))
            }
            guard state.phase == .idle else { return false }
            state.phase = .ready
            return true
        }
        guard wake else { return }
        if ThreadChain.current.follow(with: self, after: .task, on: workers) { return }
        workers.enqueue(self)
    }

    /// Runs the jobs of the queue on a worker thread, and what follows them there.
    func run() { ThreadChain.current.run(self, on: workers) }

    var stage: ThreadChain.Stage { .context }

    /// Runs the jobs of the queue. It ends when there are none or a waiter takes over.
    func runOnce(_ chain: ThreadChain) {
        let claimed = state.withLock { state in
            guard state.phase == .ready else { return false }
            state.phase = .running
            state.isOwnedByCaller = false
            return true
        }
        guard claimed else { return }
        while let job = nextJob() {
            // What follows the job before does not wait for this one.
            chain.handOn()
            chain.queues.append(self)
            job.runSynchronously(on: asUnownedSerialExecutor())
            chain.queues.removeLast()
        }
    }

    /// Runs `body` on this thread as soon as the queue is free, or at once if this thread owns it.
    ///
    /// - Throws: The error of the body; also `CancellationError` and `StoreError` with `deadlineExceeded` if
    ///   the waiting must end.
    func runAndWait<T>(
        until deadline: ContinuousClock.Instant? = nil, _ relay: CancellationRelay? = nil,
        _ body: () throws -> T
    ) throws -> T {
        let chain = ThreadChain.current
        if chain.owns(self) { return try body() }
        // Nothing follows while this thread waits.
        chain.handOn()
        try claim(until: deadline, relay, isEntangled: !chain.queues.isEmpty)
        chain.queues.append(self)
        defer {
            chain.queues.removeLast()
            release()
        }
        return try body()
    }

    /// Returns a Boolean value that indicates whether the queue's jobs run on these threads.
    func isOf(_ workers: WorkerPool) -> Bool { self.workers === workers }

    /// Returns a Boolean value that indicates whether this thread owns the queue, for `assumeIsolated` and
    /// `#isolation`.
    func isIsolatingCurrentContext() -> Bool? { ThreadChain.current.owns(self) }

    /// Traps if this thread does not own the queue.
    func checkIsolated() {
        precondition(
            ThreadChain.current.owns(self),
            "A context was used outside of perform. Use it inside perform or performAndWait.")
    }

    /// - Parameter isEntangled: Indicates whether this thread has other contexts. It then overtakes units of
    ///   work that wait for a thread: those that have the threads may wait for these contexts.
    private func claim(
        until deadline: ContinuousClock.Instant?, _ relay: CancellationRelay?, isEntangled: Bool
    ) throws {
        let waiter: Waiter? = state.withLock { state in
            let isFree = isEntangled ? state.phase != .running : state.phase == .idle && state.entries.isEmpty
            if isFree {
                state.phase = .running
                state.isOwnedByCaller = true
                return nil
            }
            let waiter = Waiter(isEntangled: isEntangled)
            state.entries.append(.waiter(waiter))
            return waiter
        }
        guard let waiter else { return }
        let interrupt = relay?.attach { waiter.wakeUp.signal() }
        defer { if let interrupt { relay?.detach(interrupt) } }
        while true {
            let isLate = !waiter.wait(until: deadline)
            if takesTurn(waiter) { return }
            let isCancelled = relay?.isCancelled == true
            guard isLate || isCancelled, leavesLine(waiter) else { continue }
            if isCancelled { throw CancellationError() }
            throw StoreError.lateStart
        }
    }

    /// Ends the waiting; false if the queue was handed over just now.
    private func leavesLine(_ waiter: Waiter) -> Bool {
        state.withLock { _ in
            if waiter.hasTurn { return false }
            // `handOver(to:)` then passes it by.
            waiter.hasTurn = true
            return true
        }
    }

    /// Gives a woken waiter the queue if it was handed over, or if no thread has taken it yet.
    private func takesTurn(_ waiter: Waiter) -> Bool {
        state.withLock { state in
            if waiter.hasTurn { return true }
            guard state.phase == .ready else { return false }
            state.phase = .running
            state.isOwnedByCaller = true
            waiter.hasTurn = true
            return true
        }
    }

    /// Reserves a position for a unit of work that waits for a thread.
    ///
    /// Only later threads that have no other context wait for it.
    func reserve() -> Reservation {
        let reservation = Reservation()
        state.withLock { state in
            state.reservation = reservation
            state.entries.append(.reservation(reservation))
        }
        return reservation
    }

    /// Cancels the reservation if the unit does not arrive.
    func abandon(_ reservation: Reservation) {
        let wake = state.withLock { state in
            guard reservation.job == nil else { return false }
            reservation.isVoid = true
            if state.reservation === reservation { state.reservation = nil }
            return state.phase == .idle ? Self.handOn(&state) : false
        }
        if wake { workers.enqueue(self) }
    }

    /// Returns the next job to run here. It is nil if there is none, or if a waiter has the queue now.
    private func nextJob() -> UnownedJob? {
        state.withLock { state in
            while let entry = state.entries.first {
                if case .reservation(let reservation) = entry, !reservation.isVoid, reservation.job == nil {
                    break
                }
                _ = state.entries.popFirst()
                switch entry {
                case .job(let job): return job
                case .reservation(let reservation): if let job = reservation.job { return job }
                case .waiter(let waiter):
                    if Self.handOver(to: waiter) {
                        state.isOwnedByCaller = true
                        return nil
                    }
                }
            }
            _ = Self.handOn(&state)
            return nil
        }
    }

    private func release() {
        let wake = state.withLock { Self.handOn(&$0) }
        if wake { workers.enqueue(self) }
    }

    /// Hands the queue to the first in line; true if a worker must run a job.
    private static func handOn(_ state: inout State) -> Bool {
        state.phase = .idle
        state.isOwnedByCaller = false
        func hand(to waiter: Waiter) -> Bool {
            guard handOver(to: waiter) else { return false }
            state.phase = .running
            state.isOwnedByCaller = true
            return true
        }
        func entangled() -> Waiter? {
            state.entries.first { $0.waiter.map { $0.isEntangled && !$0.hasTurn } ?? false }?.waiter
        }
        while let entry = state.entries.first {
            switch entry {
            case .waiter(let waiter):
                _ = state.entries.popFirst()
                if hand(to: waiter) { return false }
            case .reservation(let reservation) where reservation.isVoid: _ = state.entries.popFirst()
            case .reservation(let reservation) where reservation.job == nil:
                // Its entry is passed by later.
                if let waiter = entangled() { _ = hand(to: waiter) }
                return false
            case .job, .reservation:
                state.phase = .ready
                // Every worker may be among the threads that wait for this queue. So the first of these is woken as well, and
                // takes the queue unless a worker is faster.
                entangled()?.wakeUp.signal()
                return true
            }
        }
        return false
    }

    /// A Boolean value that indicates whether a thread outside of the container's has the context at the
    /// moment.
    var isOwnedByCaller: Bool { state.withLock(\.isOwnedByCaller) }

    /// Hands the queue to a waiter; false if it took the queue itself before its turn.
    private static func handOver(to waiter: Waiter) -> Bool {
        if waiter.hasTurn { return false }
        waiter.hasTurn = true
        waiter.wakeUp.signal()
        return true
    }
}
