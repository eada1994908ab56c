internal import CLibPQ
import Foundation
import Synchronization

/// An object that ends the running statement of one ``Connection`` from any thread.
///
/// A request never reaches another statement than the one it was made for. The connection waits for pending
/// requests before it starts the next statement.
///
/// The request is encrypted if the session is and if libpq is version 17 or newer. Before, the key that
/// allows requests crosses the network in clear.
public final class Canceller: Sendable {
    private struct State {
        var isRunning = false
        var isClosed = false
        var rejectsWork = false
        var requests = 0
        /// The number of the current statement.
        var statement: UInt64 = 0
        /// A handle that cuts off a server that does not answer; nil once the connection is closed.
        var sessionShutdown: SessionShutdown?
        var isShutDown = false
    }

    private static let attempts = 10
    private static let firstPatience: Duration = .milliseconds(20)

    private let state: Monitor<State>
    // Sound: used with `sending` held only.
    private nonisolated(unsafe) let handle: OpaquePointer?
    private let sending = Mutex(())

    init(handle: OpaquePointer?, sessionShutdown: SessionShutdown) {
        self.handle = handle
        state = Monitor(State(sessionShutdown: sessionShutdown))
    }

    deinit { howdah_free_cancel(handle) }

    /// Ends the running statement, which then throws code `cancelled`.
    ///
    /// It blocks until the statement ends, for a few seconds at most.
    ///
    /// - Returns: False if no statement runs, or if the server cannot be reached; then it has no effect.
    @discardableResult
    public func cancel() -> Bool { announce().map(send) ?? false }

    /// Ends the running statement from a separate thread, without blocking the caller.
    ///
    /// If the server cannot be reached, it has no effect.
    public func cancelInBackground() {
        // Announced here, not on the thread: by the time that runs, the connection may have its next user.
        guard let running = announce() else { return }
        Thread.detachNewThread { [self] in _ = send(running) }
    }

    /// Ends the running statement and refuses later ones until ``Connection/resetCancellation()``; does not
    /// block.
    ///
    /// Refused statements throw code `cancelled`. A rollback stays possible. If the server does not end the
    /// statement within a second, the connection is cut.
    public func cancelUnitOfWork() {
        state.broadcast { $0.rejectsWork = true }
        guard let running = announce() else { return }
        Thread.detachNewThread { [self] in _ = send(running) }
        // A thread of its own, as sending a request to a silent server may take minutes.
        Thread.detachNewThread { [self] in sever(running) }
    }

    /// Cuts the connection if the statement still runs after the grace.
    private func sever(_ running: UInt64) {
        let hasEnded = state.wait(until: .now + Exchange.grace) { state in
            state.isRunning && state.statement == running && !state.isClosed ? nil : true
        }
        if hasEnded != nil { return }
        state.withLock { state in
            guard state.isRunning, state.statement == running else { return }
            state.isShutDown = state.sessionShutdown != nil
            state.sessionShutdown?.shutDown()
        }
    }

    /// Indicates whether the connection was cut because the server did not answer a cancel request.
    var isShutDown: Bool { state.withLock(\.isShutDown) }

    /// Indicates whether statements are refused since the unit of work was cancelled.
    var rejectsWork: Bool { state.withLock(\.rejectsWork) }

    /// Blocks for a while, or until ``cancelUnitOfWork()`` is called.
    package func pause(for duration: Duration) {
        _ = state.wait(until: .now + duration) { $0.rejectsWork ? true : nil }
    }

    /// Makes the connection wait for a request before its next statement.
    ///
    /// It returns the number of the running statement, or nil if none runs.
    private func announce() -> UInt64? {
        state.withLock { state in
            guard handle != nil, state.isRunning, !state.isClosed else { return nil }
            state.requests += 1
            return state.statement
        }
    }

    /// Sends an announced request.
    private func send(_ running: UInt64) -> Bool {
        defer { state.broadcast { $0.requests -= 1 } }
        // A request that overtakes its statement has no effect, so it is repeated until the statement ends.
        for attempt in 0..<Self.attempts {
            let isSent = sending.withLock { _ in handle.map(howdah_send_cancel) ?? false }
            guard isSent else { return attempt > 0 }
            let patience = min(Self.firstPatience * (1 << attempt), .milliseconds(500))
            let hasEnded = state.wait(until: .now + patience) { state in
                state.isRunning && state.statement == running && !state.isClosed ? nil : true
            }
            if hasEnded != nil { break }
        }
        return true
    }

    // MARK: - For the connection

    /// Records that a statement starts. If the unit of work was cancelled, it returns false.
    func beginStatement(evenIfCancelled: Bool) -> Bool {
        state.withLock { state in
            if state.rejectsWork && !evenIfCancelled { return false }
            state.isRunning = true
            state.statement &+= 1
            return true
        }
    }

    /// Records that the statement ended, and waits for pending requests. If one did not arrive in time, it
    /// returns false.
    func endStatement(within grace: Duration) -> Bool {
        let isSettled = state.withLock { state in
            state.isRunning = false
            return state.requests == 0
        }
        if isSettled { return true }
        state.broadcast { _ in }
        return state.wait(until: .now + grace) { $0.requests == 0 ? true : nil } ?? false
    }

    func reset() { state.withLock { $0.rejectsWork = false } }

    func invalidate() {
        state.broadcast { state in
            state.isClosed = true
            state.sessionShutdown = nil
        }
    }
}
