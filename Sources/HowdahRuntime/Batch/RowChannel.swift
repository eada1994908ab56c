import Dispatch
import PQClient
import Synchronization

/// Hands rows from a task that makes them to a thread that waits for them, a few chunks ahead at most.
final class RowChannel<Row: Sendable>: Sendable {
    /// How many rows travel together.
    static var chunkSize: Int { 2_048 }
    private static var mostChunks: Int { 2 }

    private struct State {
        var chunks = FIFO<[Row]>()
        var isFinished = false
        var failure: (any Error)?
        var isClosed = false
        var producer: CheckedContinuation<Bool, Never>?
    }

    private let state = Mutex(State())
    private let arrivals = DispatchSemaphore(value: 0)

    /// Hands over a chunk; waits while there are enough. False where nobody takes rows any more.
    func send(_ chunk: [Row]) async -> Bool {
        let isOpen = await withCheckedContinuation { continuation in
            let answer: Bool? = state.withLock { state in
                if state.isClosed || state.isFinished { return false }
                if state.chunks.count < Self.mostChunks { return true }
                state.producer = continuation
                return nil
            }
            if let answer { continuation.resume(returning: answer) }
        }
        guard isOpen else { return false }
        state.withLock { $0.chunks.append(chunk) }
        arrivals.signal()
        return true
    }

    /// There are no more rows; with an error, none of those that wait are taken either. Only the first call counts.
    func finish(throwing failure: (any Error)? = nil) {
        let producer = state.withLock { state in
            if state.isFinished { return nil as CheckedContinuation<Bool, Never>? }
            state.isFinished = true
            state.failure = failure
            defer { state.producer = nil }
            return state.producer
        }
        producer?.resume(returning: false)
        arrivals.signal()
    }

    /// Nobody takes rows any more.
    func close() {
        let producer = state.withLock { state in
            state.isClosed = true
            defer { state.producer = nil }
            return state.producer
        }
        producer?.resume(returning: false)
    }

    /// The next rows, or nil after the last; blocks the thread until there are some.
    ///
    /// - Throws: what the rows ended with.
    func next() throws -> [Row]? {
        arrivals.wait()
        let (chunk, failure, producer) = state.withLock { state in
            if let failure = state.failure {
                return (nil as [Row]?, failure as (any Error)?, nil as CheckedContinuation<Bool, Never>?)
            }
            let chunk = state.chunks.popFirst()
            defer { state.producer = nil }
            return (chunk, nil, state.producer)
        }
        producer?.resume(returning: true)
        if let failure { throw failure }
        return chunk
    }
}
