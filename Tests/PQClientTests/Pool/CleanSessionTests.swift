import Foundation
import Testing

@testable import PQClient

/// What a program's own SQL leaves on a session that goes back to the pool.
@Suite struct CleanSessionTests {
    private func pool(
        cleans: Bool = false, _ change: (inout ConnectionConfiguration) -> Void = { _ in }
    ) throws -> ConnectionPool {
        ConnectionPool(
            configuration: try TestCluster.configuration(change), maximumConnections: 1,
            cleansSessions: cleans)
    }

    /// Everything that lasts as long as a session.
    private static let traces = [
        "SET SESSION application_name = 'trace'", "SET search_path = pg_temp",
        "SET default_transaction_read_only = on", "SET ROLE pg_monitor", "SET statement_timeout = '1ms'",
        "SELECT set_config('app.tenant', 'alice', false)", "CREATE TEMPORARY TABLE trace (a integer)",
        "SELECT pg_advisory_lock(42)", "SELECT pg_advisory_lock_shared(43)", "LISTEN trace",
        "DECLARE trace CURSOR WITH HOLD FOR SELECT 1", "SET SESSION AUTHORIZATION pg_monitor",
    ]

    private static let listing = """
        SELECT current_setting('application_name') || current_setting('search_path') \
        || current_setting('default_transaction_read_only') || current_setting('statement_timeout') \
        || coalesce(current_setting('app.tenant', true), '') || current_user || session_user \
        || (to_regclass('pg_temp.trace') IS NULL) \
        || (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()) \
        || (SELECT count(*) FROM pg_listening_channels()) || (SELECT count(*) FROM pg_cursors)
        """

    @Test(arguments: traces, [true, false]) func nothingIsLeft(_ trace: String, _ cleans: Bool) throws {
        let pool = try pool(cleans: cleans)
        var connection = try pool.lease(timeout: .seconds(5))
        let before = try connection.query(Self.listing).scalar { $0.string() }
        let process = connection.backendProcessID
        connection.mayBeChanged = !cleans
        _ = try? connection.query(trace, cached: false)
        pool.release(connection)
        connection = try pool.lease(timeout: .seconds(5))
        #expect(try connection.query(Self.listing).scalar { $0.string() } == before)
        // Either cleaned, or another session.
        if trace.contains("1ms") { return pool.release(connection) }
        #expect(connection.backendProcessID == process)
        #expect(connection.cache.count >= 1)
        pool.release(connection)
    }

    /// The control: without the mark the next user finds it.
    @Test func unmarkedSessionsAreLeftAlone() throws {
        let pool = try pool()
        let connection = try pool.lease(timeout: .seconds(5))
        _ = try connection.query("SELECT set_config('app.tenant', 'alice', false)")
        pool.release(connection)
        let next = try pool.lease(timeout: .seconds(5))
        #expect(try next.query("SELECT current_setting('app.tenant')").scalar { $0.string() } == "alice")
        pool.release(next)
    }

    @Test func preparedStatementsOfSQLCloseTheConnection() throws {
        let pool = try pool()
        let connection = try pool.lease(timeout: .seconds(5))
        let process = connection.backendProcessID
        connection.mayBeChanged = true
        _ = try connection.query("PREPARE trace AS SELECT 1", cached: false)
        pool.release(connection)
        let next = try pool.lease(timeout: .seconds(5))
        #expect(next.backendProcessID != process)
        pool.release(next)
    }

    @Test func cleaningIsOneRoundTripAndPreparedStatementsStay() throws {
        let pool = try pool()
        var connection = try pool.lease(timeout: .seconds(5))
        for number in 0..<10 { _ = try connection.query("SELECT \(number)") }
        connection.mayBeChanged = true
        pool.release(connection)
        connection = try pool.lease(timeout: .seconds(5))
        let prepared = "SELECT count(*) FROM pg_prepared_statements WHERE name LIKE 'howdah_%'"
        #expect(try connection.query(prepared, cached: false).scalar(\.int64) == 10)
        pool.release(connection)
    }

    /// As after a switch of roles: the session stays where writing is refused.
    @Test func sessionsThatRefuseToWriteLeaveThePool() throws {
        let pool = try pool()
        var connection = try pool.lease(timeout: .seconds(5))
        let process = connection.backendProcessID
        _ = try connection.query("SET default_transaction_read_only = on", cached: false)
        let error = try #require(throws: PostgresError.self) {
            try connection.query("CREATE TABLE refused (a integer)", cached: false)
        }
        #expect(error.sqlState == SQLState.readOnlyTransaction)
        pool.release(connection)
        connection = try pool.lease(timeout: .seconds(5))
        #expect(connection.backendProcessID != process)

        // Who asked for a transaction that only reads keeps the session.
        let second = connection.backendProcessID
        try connection.begin(readOnly: true)
        #expect(throws: PostgresError.self) {
            try connection.query("CREATE TABLE refused (a integer)", cached: false)
        }
        pool.release(connection)
        connection = try pool.lease(timeout: .seconds(5))
        #expect(connection.backendProcessID == second)
        pool.release(connection)
    }
}
