import Foundation
import PQClient

/// Finds out what became of a transaction whose COMMIT was sent and whose answer never came.
///
/// Whoever asks inserts the transaction's token. Where it is there already, the transaction was stored. Where it is not,
/// the insertion itself keeps the transaction from ever committing, even if its bytes are still on their way. As long as
/// the transaction is open, the insertion waits for it; its session is then ended.
struct LostCommit {
    private static let patience: Duration = .milliseconds(200)
    private static let longestPause: Duration = .seconds(1)

    let token: UUID
    /// The quoted name of the table of tokens.
    let table: String
    /// The process that had the transaction; nil where it is not known any more.
    let backend: Int32?
    let configuration: ConnectionConfiguration
    let observer: ((StatementEvent) -> Void)?

    /// Whether the transaction was stored; nil where the server could not say so in time.
    ///
    /// Uses a connection of its own: those at hand may have broken with the lost one, and a cancelled task must learn the
    /// outcome too.
    func isStored(until deadline: ContinuousClock.Instant) -> Bool? {
        var pause: Duration = .milliseconds(20)
        while ContinuousClock.now < deadline {
            do {
                let connection = try connect(until: deadline)
                defer { connection.close() }
                while ContinuousClock.now < deadline {
                    if let isStored = try ask(connection) { return isStored }
                    end(with: connection)
                }
            } catch {
                // Missing rights and a missing table stay so.
                guard let error = error as? PostgresError, error.sqlState?.hasPrefix("42") != true else {
                    return nil
                }
                let rest = max(.zero, ContinuousClock.now.duration(to: deadline))
                let parts = min(pause, rest).components
                Thread.sleep(forTimeInterval: Double(parts.seconds) + Double(parts.attoseconds) / 1e18)
                pause = min(pause * 2, Self.longestPause)
            }
        }
        return nil
    }

    private func connect(until deadline: ContinuousClock.Instant) throws -> Connection {
        var configuration = configuration
        let rest = ContinuousClock.now.duration(to: deadline)
        configuration.connectTimeout = min(configuration.connectTimeout, max(rest, .seconds(1)))
        let connection = try Connection(configuration)
        connection.deadline = deadline
        connection.observer = observer
        return connection
    }

    /// Whether the transaction was stored; nil while it is open.
    private func ask(_ connection: Connection) throws -> Bool? {
        var parameters = Parameters()
        parameters.append(.uuid) { $0.uuid(token) }
        // First without a write, which may have to wait for a standby.
        let known = try connection.query(
            "SELECT is_stored FROM \(table) WHERE token = $1", parameters, cached: false)
        if let isStored = known.map({ $0[0].bool }).first { return isStored }
        var batch = Batch()
        batch.add("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE", cached: false)
        batch.add("SET LOCAL lock_timeout = \(Self.patience.milliseconds)", cached: false)
        // The update changes nothing; it has the row returned that is there already.
        batch.add(
            "INSERT INTO \(table) AS t (token, is_stored) VALUES ($1, FALSE) "
                + "ON CONFLICT (token) DO UPDATE SET token = t.token RETURNING is_stored", parameters,
            cached: false)
        batch.add("COMMIT", cached: false)
        do {
            return try connection.run(batch)[2].scalar(\.bool)
        } catch let error as PostgresError where error.sqlState == SQLState.lockNotAvailable {
            try connection.rollback()
            return nil
        }
    }

    /// Ends the session of the transaction, if it still holds a lock on the table of tokens: its number may have gone
    /// to another session, which is left alone.
    private func end(with connection: Connection) {
        guard let backend else { return }
        var parameters = Parameters()
        parameters.append(.int4) { $0.int32(backend) }
        guard (try? parameters.append(table)) != nil else { return }
        // Without the right to do so, there is only waiting.
        _ = try? connection.query(
            "SELECT pg_catalog.pg_terminate_backend(pid) FROM pg_catalog.pg_locks WHERE pid = $1 AND granted "
                + "AND relation = pg_catalog.to_regclass($2) AND mode = 'RowExclusiveLock'", parameters,
            cached: false)
    }
}

extension Duration {
    fileprivate var milliseconds: Int64 {
        components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000
    }
}
