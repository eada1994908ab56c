import Foundation
import Testing

@testable import PQClient

@Suite struct InterruptionTests {
    private func terminate(_ connection: Connection) throws {
        var parameters = Parameters()
        parameters.append(.int4) { $0.int32(connection.backendProcessID) }
        _ = try TestCluster.connect().query("SELECT pg_terminate_backend($1, 5000)", parameters)
    }

    @Test func cancelFromAnotherThread() throws {
        let connection = try TestCluster.connect()
        let canceller = connection.canceller
        #expect(!canceller.cancel())
        Thread.detachNewThread {
            while !canceller.cancel() { usleep(1000) }
        }
        let error = try #require(throws: PostgresError.self) { try connection.query("SELECT pg_sleep(300)") }
        #expect(error.code == .cancelled && error.sqlState == SQLState.queryCancelled)
        #expect(connection.isUsable)
        // No request is left that could hit a later statement.
        for number in 0..<200 {
            #expect(try connection.query("SELECT \(number)").scalar(\.int32) == Int32(number))
        }
    }

    @Test func aCancelledUnitOfWorkRefusesStatementsButRollsBack() throws {
        let connection = try TestCluster.connect()
        try connection.begin()
        connection.canceller.cancelUnitOfWork()
        let error = try #require(throws: PostgresError.self) { try connection.query("SELECT 1") }
        #expect(error.code == .cancelled)
        try connection.rollback()
        connection.resetCancellation()
        #expect(try connection.query("SELECT 1").scalar(\.int32) == 1)
    }

    @Test func deadlines() throws {
        let connection = try TestCluster.connect()
        try connection.begin()
        connection.deadline = .now + .seconds(1)
        let start = ContinuousClock.now
        let error = try #require(throws: PostgresError.self) { try connection.query("SELECT pg_sleep(300)") }
        #expect(error.code == .deadlineExceeded && start.duration(to: .now) < .seconds(60))
        #expect(connection.isUsable && connection.transactionStatus == .failed)
        let later = try #require(throws: PostgresError.self) { try connection.query("SELECT 1") }
        #expect(later.code == .deadlineExceeded && later.sqlState == nil)
        try connection.rollback()
        connection.deadline = nil

        var batch = Batch()
        for _ in 0..<100 { batch.add("SELECT pg_sleep(2)") }
        connection.deadline = .now + .seconds(3)
        let inBatch = try #require(throws: PostgresError.self) { try connection.run(batch) }
        #expect(inBatch.code == .deadlineExceeded && (inBatch.batchIndex ?? 100) < 10)
        connection.deadline = nil
        #expect(try connection.query("SELECT 1").scalar(\.int32) == 1)

        let limited = try TestCluster.connect { $0.statementDeadline = .seconds(2) }
        let own = try #require(throws: PostgresError.self) { try limited.query("SELECT pg_sleep(300)") }
        #expect(own.code == .deadlineExceeded)
        #expect(try limited.query("SELECT 1").scalar(\.int32) == 1)
    }

    @Test func aServerThatDoesNotAnswerIsGivenUp() throws {
        let connection = try TestCluster.connect()
        let pid = connection.backendProcessID
        guard kill(pid, SIGSTOP) == 0 else { return }
        defer { kill(pid, SIGCONT) }
        connection.deadline = .now + .seconds(1)
        let error = try #require(throws: PostgresError.self) {
            try connection.query("SELECT 1", cached: false)
        }
        #expect(error.code == .deadlineExceeded && error.mayHaveCommitted && !connection.isUsable)
    }

    @Test func aKilledBackendIsConnectionLost() throws {
        let idle = try TestCluster.connect()
        try terminate(idle)
        let error = try #require(throws: PostgresError.self) { try idle.query("SELECT 1") }
        #expect(error.code == .connectionLost && !idle.isUsable && idle.transactionStatus == .unknown)

        let busy = try TestCluster.connect()
        let pid = busy.backendProcessID
        Thread.detachNewThread {
            guard let killer = try? TestCluster.connect() else { return }
            let sql =
                "SELECT pg_terminate_backend(\(pid)) FROM pg_stat_activity WHERE pid = \(pid) AND state = 'active'"
            while (try? killer.query(sql).rowCount) == 0 { usleep(1000) }
        }
        try busy.begin()
        let lost = try #require(throws: PostgresError.self) { try busy.query("SELECT pg_sleep(300)") }
        #expect(
            lost.code == .connectionLost && lost.sqlState == SQLState.adminShutdown && !lost.mayHaveCommitted)

        let inBatch = try TestCluster.connect()
        var batch = Batch()
        for _ in 0..<10 { batch.add("SELECT 1") }
        batch.add("SELECT pg_terminate_backend(pg_backend_pid())")
        for _ in 0..<10 { batch.add("SELECT 1") }
        let batchLost = try #require(throws: PostgresError.self) { try inBatch.run(batch) }
        #expect(batchLost.code == .connectionLost && batchLost.mayHaveCommitted && !inBatch.isUsable)

        let inCopy = try TestCluster.connect()
        try inCopy.executeScript("CREATE TEMP TABLE t (n int8)")
        let copyLost = try #require(throws: PostgresError.self) {
            try inCopy.copyIn("COPY t FROM STDIN (FORMAT binary)") { rows in
                try terminate(inCopy)
                for number in 0..<100_000 { try rows.row(columns: 1) { $0.int64(Int64(number)) } }
            }
        }
        #expect(copyLost.code == .connectionLost && !inCopy.isUsable)
    }

    @Test func aLossAfterCommitWasSentSaysSo() throws {
        let name = "deferred_kill"
        let connection = try TestCluster.connect()
        // A deferred trigger runs inside COMMIT: the backend dies after it was sent.
        try connection.executeScript(
            """
            CREATE TEMP TABLE \(name) (n int8);
            CREATE FUNCTION pg_temp.die() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); PERFORM pg_sleep(5); RETURN NULL; END $$;
            CREATE CONSTRAINT TRIGGER die AFTER INSERT ON \(name) DEFERRABLE INITIALLY DEFERRED
                FOR EACH ROW EXECUTE FUNCTION pg_temp.die();
            """)
        try connection.begin()
        _ = try connection.query("INSERT INTO \(name) VALUES (1)")
        let error = try #require(throws: PostgresError.self) { try connection.commit() }
        #expect(error.code == .connectionLost && error.phase == .commit && error.mayHaveCommitted)

        let other = try TestCluster.connect()
        try other.begin()
        try terminate(other)
        let before = try #require(throws: PostgresError.self) { try other.query("SELECT 1") }
        #expect(before.code == .connectionLost && !before.mayHaveCommitted)

        let third = try TestCluster.connect()
        var batch = Batch()
        batch.add("BEGIN")
        batch.add("SELECT pg_terminate_backend(pg_backend_pid())")
        batch.add("SELECT pg_sleep(5)")
        let withoutCommit = try #require(throws: PostgresError.self) { try third.run(batch) }
        #expect(withoutCommit.code == .connectionLost && !withoutCommit.mayHaveCommitted)
    }
}
