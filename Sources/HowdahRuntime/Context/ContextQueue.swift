import Dispatch
import PQClient
import Synchronization

/// A context's turn-taking: one piece of work at a time, on a thread borrowed only while there is work.
///
/// Asynchronous work arrives as jobs of Swift tasks (this is a serial executor) and runs on the store's worker
/// threads. `performAndWait` runs on the caller's own thread: at once where the queue is free, else when the
/// present owner hands the queue over. A waiter's work never runs on another thread, because re-entrancy is
/// recognised by the thread.
final class ContextQueue: SerialExecutor, PoolWork, Sendable {
    private enum Phase {
        case idle
        /// In the worker pool's list, with no thread yet; whoever comes first may take it.
        case ready
        /// Owned by a thread.
        case running
    }

    private enum Entry {
        case job(UnownedJob)
        case waiter(Waiter)

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
    }

    private struct State {
        var phase = Phase.idle
        var entries = FIFO<Entry>()
    }

    private let workers: WorkerPool
    private let state = Mutex(State())

    init(workers: WorkerPool) { self.workers = workers }

    /// Puts a task's job in line; the pool runs it when a thread is free.
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let wake = state.withLock { state in
            state.entries.append(.job(job))
            guard state.phase == .idle else { return false }
            state.phase = .ready
            return true
        }
        if wake { workers.enqueue(self) }
    }

    /// Runs the jobs in line on a worker thread, until there are none or a waiter takes over.
    func run() {
        let claimed = state.withLock { state in
            guard state.phase == .ready else { return false }
            state.phase = .running
            return true
        }
        guard claimed else { return }
        let chain = ThreadChain.current
        while let job = nextJob() {
            chain.queues.append(self)
            job.runSynchronously(on: asUnownedSerialExecutor())
            chain.queues.removeLast()
        }
    }

    /// Runs `body` on this thread as soon as the queue is free, or at once where this thread owns it.
    func runAndWait<T>(_ body: () throws -> T) rethrows -> T {
        let chain = ThreadChain.current
        if chain.owns(self) { return try body() }
        claim()
        chain.queues.append(self)
        defer {
            chain.queues.removeLast()
            release()
        }
        return try body()
    }

    /// Lets `assumeIsolated` and `#isolation` checks know that this thread owns the queue.
    func isIsolatingCurrentContext() -> Bool? { ThreadChain.current.owns(self) }

    /// Traps where this thread does not own the queue.
    func checkIsolated() {
        precondition(ThreadChain.current.owns(self), "use the context inside perform or performAndWait")
    }

    private func claim() {
        let waiter: Waiter? = state.withLock { state in
            if state.phase != .running {
                state.phase = .running
                return nil
            }
            let waiter = Waiter()
            state.entries.append(.waiter(waiter))
            return waiter
        }
        guard let waiter else { return }
        repeat { waiter.wakeUp.wait() } while !takesTurn(waiter)
    }

    /// Lets a waiter that was woken have the queue if it was handed over, or if no thread has taken it yet.
    private func takesTurn(_ waiter: Waiter) -> Bool {
        state.withLock { state in
            if waiter.hasTurn { return true }
            guard state.phase == .ready else { return false }
            state.phase = .running
            waiter.hasTurn = true
            return true
        }
    }

    /// The next job to run here; nil where the queue is empty or now belongs to a waiter.
    private func nextJob() -> UnownedJob? {
        state.withLock { state in
            while let entry = state.entries.popFirst() {
                switch entry {
                case .job(let job): return job
                case .waiter(let waiter): if Self.handOver(to: waiter) { return nil }
                }
            }
            state.phase = .idle
            return nil
        }
    }

    private func release() {
        let wake = state.withLock { state in
            while let entry = state.entries.first {
                switch entry {
                case .waiter(let waiter):
                    _ = state.entries.popFirst()
                    if Self.handOver(to: waiter) { return false }
                case .job:
                    state.phase = .ready
                    // Every worker may be among the threads that wait for this queue. So the first of these is
                    // woken as well, and takes the queue unless a worker is faster.
                    state.entries.first { $0.waiter?.hasTurn == false }?.waiter?.wakeUp.signal()
                    return true
                }
            }
            state.phase = .idle
            return false
        }
        if wake { workers.enqueue(self) }
    }

    /// Gives the queue to a waiter; false if it took the queue itself before its turn came.
    private static func handOver(to waiter: Waiter) -> Bool {
        if waiter.hasTurn { return false }
        waiter.hasTurn = true
        waiter.wakeUp.signal()
        return true
    }
}
