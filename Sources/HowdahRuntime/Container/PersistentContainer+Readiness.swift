import HowdahModel
import HowdahSchema
public import PQClient
import Synchronization

extension PersistentContainer {
    /// The present numbers of connections, and of units of work that wait for a thread and a connection.
    ///
    /// No message is sent. A server that answers probes or exports metrics can read it as often as it likes.
    public var poolStatus: PoolStatus {
        let status = store.pool.status
        return PoolStatus(
            idle: status.idle, leased: status.leased, opening: status.opening,
            waiting: status.waiting + store.admission.waiting, maximum: status.maximum)
    }

    /// Asks the database whether requests can be served now.
    ///
    /// The call sends one SELECT on an idle connection. If all connections are in use, it opens one more and
    /// closes it afterwards, so a busy container is ready. It never waits for units of work and blocks no
    /// thread of the caller. Use it for a readiness probe, and not for a liveness probe: a restart does not
    /// mend a database.
    ///
    /// - Parameter limit: The time until the answer, two seconds by default.
    /// - Returns: The state. A cancelled task gets ``Readiness/unreachable(_:)`` at once.
    nonisolated(nonsending)
        public func ready(within limit: Duration = .seconds(2)) async -> Readiness
    {
        if store.admission.isClosed { return .draining }
        let deadline = ContinuousClock.now + limit
        let relay = CancellationRelay()
        let answer = SingleAnswer<Readiness>()
        let workers = WorkerPool(maximumThreads: 1, name: "howdah-ready")
        defer { workers.shutdown() }
        let timer = Task {
            try await Task.sleep(until: deadline, clock: .continuous)
            answer.give(.unreachable("The database did not answer within \(limit). Check that it runs."))
            relay.cancel()
        }
        defer { timer.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                answer.listen(continuation)
                workers.enqueue(Probe { [store] in answer.give(store.readiness(until: deadline, relay)) })
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
        do {
            let connection = try pool.leaseNested(
                patience: Patience(
                    until: deadline, isOver: { relay.isCancelled }, cancelling: relay.cancelling))
            defer { pool.release(connection) }
            let detach = relay.cancelling(connection.canceller)
            defer { detach() }
            connection.deadline = deadline
            return try readiness(connection)
        } catch let error as PostgresError where error.code == .poolClosed {
            return .draining
        } catch let error as PostgresError
            where error.sqlState == SQLState.undefinedTable || error.sqlState == SQLState.invalidSchemaName
        {
            return Self.replaced
        } catch let error as PostgresError {
            return .unreachable(error.description)
        } catch {
            return .unreachable("\(error)")
        }
    }

    private func readiness(_ connection: Connection) throws -> Readiness {
        guard let mark else { return .ready }
        let found = try connection.query(
            "SELECT \"store_uuid\", \"checksum\" FROM "
                + SQLIdentifier.quoted(mark.schemaName, StoreSchema.metadataTable), cached: false
        ).map { ($0[0].uuid, $0[1].string()) }
        guard let (identifier, checksum) = found.first, identifier == mark.identifier else {
            return Self.replaced
        }
        guard let watch, checksum != watch.checksum else { return .ready }
        return watch.refusal(connection).map { .otherModel($0.message) } ?? .ready
    }

    private static let replaced = Readiness.otherModel(
        "The store was destroyed or replaced after this program opened it. Restart the program.")
}

/// A continuation that the first of several answers resumes.
private final class SingleAnswer<Value: Sendable>: Sendable {
    private enum State {
        case open
        case listening(CheckedContinuation<Value, Never>)
        case given(Value)
        case done
    }

    private let state = Mutex(State.open)

    func listen(_ continuation: CheckedContinuation<Value, Never>) {
        let value = state.withLock { state -> Value? in
            guard case .given(let value) = state else {
                state = .listening(continuation)
                return nil
            }
            state = .done
            return value
        }
        if let value { continuation.resume(returning: value) }
    }

    func give(_ value: Value) {
        let continuation = state.withLock { state -> CheckedContinuation<Value, Never>? in
            switch state {
            case .open: state = .given(value)
            case .listening(let continuation):
                state = .done
                return continuation
            case .given, .done: break
            }
            return nil
        }
        continuation?.resume(returning: value)
    }
}
