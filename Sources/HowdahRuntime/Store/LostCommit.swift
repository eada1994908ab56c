import Foundation
import PQClient

/// Determines the outcome of a transaction whose COMMIT was sent and whose answer never arrived.
///
/// The query inserts the transaction's token. If it exists already, the transaction was stored. If not, the
/// insertion itself prevents the transaction from ever committing, even if its bytes are still on their way.
/// While the transaction is open, the insertion waits for it; its session is then ended.
struct LostCommit {
    private static let patience: Duration = .milliseconds(200)
    private static let longestPause: Duration = .seconds(1)

    let token: UUID
    /// The quoted name of the table of tokens.
    let table: String
    /// The process that had the transaction; nil if it is no longer known.
    let backend: Int32?
    let configuration: ConnectionConfiguration
    let observer: ((StatementEvent) -> Void)?
    let relay: CancellationRelay?
    /// The end of the search; a cancellation moves it nearer.
    let end: () -> ContinuousClock.Instant

    /// Returns a Boolean value that indicates whether the transaction was stored; nil if the server did not
    /// answer in time.
    ///
    /// It uses a separate connection: present ones may have broken with the lost one, and a cancelled task
    /// must learn the outcome too.
    func isStored() -> Bool? {
        var pause: Duration = .milliseconds(20)
        while .now < end() {
            do {
                let connection = try connect()
                defer { connection.close() }
                while .now < end() {
                    if let isStored = try interruptibly(connection, ask) { return isStored }
                    interruptibly(connection, endSession)
                }
            } catch {
                // Missing rights and a missing table stay so.
                guard let error = error as? PostgresError, error.sqlState?.hasPrefix("42") != true else {
                    return nil
                }
                let rest = max(.zero, ContinuousClock.now.duration(to: end()))
                let parts = min(pause, rest).components
                Thread.sleep(forTimeInterval: Double(parts.seconds) + Double(parts.attoseconds) / 1e18)
                pause = min(pause * 2, Self.longestPause)
            }
        }
        return nil
    }

    private func connect() throws -> Connection {
        // A cancellation that comes while the session is looked at leaves time for another attempt.
        let patience = Patience(until: end(), isOver: { .now >= end() }) { [relay] canceller in
            guard let relay, let interrupt = relay.attach({ canceller.cancelUnitOfWork() }) else { return {} }
            return { relay.detach(interrupt) }
        }
        let connection = try Connection(configuration, patience: patience)
        connection.observer = observer
        // The session is for this search only.
        connection.givesUpAtDeadline = true
        return connection
    }

    /// Ends the running call if the task is cancelled, because the server may be silent. Time remains for
    /// another attempt.
    @discardableResult
    private func interruptibly<Value>(
        _ connection: Connection, _ body: (Connection) throws -> Value
    ) rethrows -> Value {
        let interrupt = relay?.attach { [canceller = connection.canceller] in canceller.cancelUnitOfWork() }
        defer { if let interrupt { relay?.detach(interrupt) } }
        connection.deadline = min(end(), .now + .seconds(5))
        return try body(connection)
    }

    /// Returns a Boolean value that indicates whether the transaction was stored; nil while it is open.
    private func ask(_ connection: Connection) throws -> Bool? {
        var parameters = Parameters()
        parameters.append(.uuid) { $0.uuid(token) }
        // First without a write, which may have to wait for a standby.
        let known = try connection.query(
            "SELECT is_stored FROM \(table) WHERE token = $1", parameters, cached: false,
            about: StatementSubject(.select, table))
        if let isStored = known.map({ $0[0].isTrue }).first { return isStored }
        var batch = Batch()
        let control = StatementSubject(.transaction)
        batch.add("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE", cached: false, about: control)
        batch.add("SET LOCAL lock_timeout = \(Self.patience.milliseconds)", cached: false, about: control)
        // The update changes nothing; it has the row returned that is there already.
        batch.add(
            "INSERT INTO \(table) AS t (token, is_stored) VALUES ($1, FALSE) "
                + "ON CONFLICT (token) DO UPDATE SET token = t.token RETURNING is_stored", parameters,
            cached: false, about: StatementSubject(.insert, table))
        batch.add("COMMIT", cached: false, about: StatementSubject(.commit))
        do {
            return try connection.run(batch)[2].scalar(\.bool)
        } catch let error as PostgresError where error.sqlState == SQLState.lockNotAvailable {
            try connection.rollback()
            return nil
        }
    }

    /// Ends the session of the transaction, if it still holds a lock on the table of tokens.
    ///
    /// Without the lock its number may belong to another session, which is not ended.
    private func endSession(_ connection: Connection) {
        // Behind a pooler the number is not the server's.
        guard let backend, !connection.isPooled else { return }
        var parameters = Parameters()
        parameters.append(.int4) { $0.int32(backend) }
        guard (try? parameters.append(table)) != nil else { return }
        // Without the right to do so, there is only waiting.
        _ = try? connection.query(
            "SELECT pg_catalog.pg_terminate_backend(pid) FROM pg_catalog.pg_locks WHERE pid = $1 AND granted "
                + "AND relation = pg_catalog.to_regclass($2) AND mode = 'RowExclusiveLock'", parameters,
            cached: false, about: StatementSubject(.select))
    }
}

extension Duration {
    fileprivate var milliseconds: Int64 {
        components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000
    }
}
