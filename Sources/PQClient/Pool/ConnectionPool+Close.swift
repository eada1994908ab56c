import Foundation

extension ConnectionPool {
    /// Refuses new leases, then suspends until every connection is back and closed, at most for `duration`.
    ///
    /// After `duration` the statements of leased connections are cancelled, and their later statements
    /// refused.
    ///
    /// - Returns: True if all connections came back in time.
    @discardableResult
    public func close(drainingFor duration: Duration) async -> Bool {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { [self] in
                continuation.resume(returning: closeAndWait(drainingFor: duration))
            }
        }
    }

    /// Does the work of ``close(drainingFor:)``, but blocks the thread.
    @discardableResult
    public func closeAndWait(drainingFor duration: Duration) -> Bool {
        let deadline = ContinuousClock.now + duration
        deliver(state.broadcast { state in Self.deliveries(state.machine.close(), &state) })
        // A closed pool opens nothing, and whoever still refers to it must not keep its threads.
        openers.shutdown()
        if state.wait(until: deadline, { $0.machine.isDrained ? true : nil }) != nil { return true }
        let cancellers = state.withLock { state in state.connections.values.map(\.canceller) }
        for canceller in cancellers { canceller.cancelUnitOfWork() }
        return false
    }
}
