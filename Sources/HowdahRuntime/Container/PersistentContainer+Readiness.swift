import HowdahModel
import HowdahSchema
public import PQClient

extension PersistentContainer {
    /// The present numbers of connections, and of units of work that wait for a thread and a connection.
    ///
    /// No message is sent. A server that answers probes or exports metrics can read it as often as it likes.
    public var poolStatus: PoolStatus { store.pool.status.waiting(also: store.admission.waiting) }

    /// Asks the database whether requests can be served now.
    ///
    /// The call sends one SELECT on an idle connection. If all connections are in use, it opens one more and
    /// closes it afterwards, so a busy container is ready. Calls at one time share one query. It never waits
    /// for units of work and blocks no thread of the caller. Use it for a readiness probe, and not for a
    /// liveness probe: a restart does not mend a database.
    ///
    /// - Parameter limit: The time until the answer, two seconds by default.
    /// - Returns: The state. A cancelled task gets ``Readiness/unreachable(_:)`` at once.
    nonisolated(nonsending)
        public func ready(within limit: Duration = .seconds(2)) async -> Readiness
    {
        let deadline = ContinuousClock.now + limit.bounded
        while true {
            if store.admission.isClosed { return .draining }
            let answer = await answer(until: deadline, limit)
            // The query ended early, because the caller that sent it had less time or was cancelled.
            guard !answer.isFinal, deadline > .now, !Task.isCancelled else { return answer.readiness }
        }
    }

    /// Asks the database, or waits for the answer to the query of another caller.
    nonisolated(nonsending)
        private func answer(until deadline: ContinuousClock.Instant, _ limit: Duration) async
        -> ReadinessProbes.Answer
    {
        let relay = CancellationRelay()
        let answer = SingleAnswer<ReadinessProbes.Answer>()
        let asks = store.probes.join(answer)
        let timer = Task {
            try await Task.sleep(until: deadline, clock: .continuous)
            answer.give(
                .unreachable("The database did not answer within \(max(.zero, limit)). Check that it runs."))
            relay.cancel()
        }
        defer { timer.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                answer.listen(continuation)
                guard asks else { return }
                let workers = WorkerPool(maximumThreads: 1, name: "howdah-ready")
                // Callers with less time must not wait for the limit of this one.
                let end = min(deadline, .now + .seconds(2))
                workers.enqueue(
                    Probe { [store] in
                        let readiness = store.readiness(until: end, relay)
                        store.probes.finish(
                            ReadinessProbes.Answer(
                                readiness: readiness, isFinal: !relay.isCancelled && end > .now))
                        workers.shutdown()
                    })
            }
        } onCancel: {
            answer.give(.unreachable("The task was cancelled. Ask again."))
            relay.cancel()
        }
    }

    /// One query, on a separate thread.
    private final class Probe: PoolWork {
        private let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }

        func run() { body() }
    }
}

extension Store {
    /// Asks the database; blocks until the answer, the deadline or the cancellation.
    fileprivate func readiness(until deadline: ContinuousClock.Instant, _ relay: CancellationRelay)
        -> Readiness
    {
        var answer = Readiness.draining
        // An idle session may have ended just now, although the server accepts others.
        for _ in 0..<Self.sessionsTried {
            let (found, isLost) = readinessOnce(until: deadline, relay)
            answer = found
            if !isLost || relay.isCancelled || deadline <= .now { break }
        }
        return answer
    }

    private static let sessionsTried = 3

    /// Returns the answer of one session, and a Boolean value that indicates whether the session was lost.
    private func readinessOnce(
        until deadline: ContinuousClock.Instant, _ relay: CancellationRelay
    ) -> (Readiness, isLost: Bool) {
        do {
            let connection = try pool.leaseNested(
                patience: Patience(
                    until: deadline, isOver: { relay.isCancelled }, cancelling: relay.cancelling))
            defer { pool.release(connection) }
            let detach = relay.cancelling(connection.canceller)
            defer { detach() }
            connection.deadline = deadline
            return (try readiness(connection), false)
        } catch let error as PostgresError where error.code == .poolClosed {
            return (.draining, false)
        } catch let error as PostgresError
            where error.sqlState == SQLState.undefinedTable || error.sqlState == SQLState.invalidSchemaName
        {
            return (Self.replaced, false)
        } catch let error as PostgresError
            where error.sqlState == SQLState.tooManyConnections && pool.status.leased > 0
        {
            // The server has no session for one more query, and this container has those that it works with.
            return (.ready, false)
        } catch var error as PostgresError {
            error.mayHaveCommitted = false
            let isLost = error.code == .connectionLost || error.sqlState == SQLState.adminShutdown
            return (.unreachable(error.description), isLost)
        } catch {
            return (.unreachable("\(error)"), false)
        }
    }

    private func readiness(_ connection: Connection) throws -> Readiness {
        guard let mark else { return .ready }
        let found = try connection.query(
            "SELECT \"store_uuid\", \"checksum\", \"format_version\" FROM "
                + SQLIdentifier.quoted(mark.schemaName, StoreSchema.metadataTable), cached: false,
            about: StatementSubject(.select)
        ).map { ($0[0].uuid, $0[1].string(), $0[2].int32) }
        guard let (identifier, checksum, format) = found.first, identifier == mark.identifier else {
            return Self.replaced
        }
        guard let watch, checksum != watch.checksum || !StoreFormat.known.contains(format) else {
            return .ready
        }
        // An unreadable record is no sign that the program can use the store.
        guard let record = try StoreRecord(in: mark.schemaName, on: connection, for: .none) else {
            return Self.replaced
        }
        return watch.refusal(of: record).map { .otherModel($0.message) } ?? .ready
    }

    private static let replaced = Readiness.otherModel(
        "The store was destroyed or replaced after this program opened it. Restart the program.")
}
