import Foundation
import Testing

@testable import PQClient

/// Everything that waits has an end.
@Suite struct GivingUpTests {
    /// A stopped process, as on a hung disk or a paused machine.
    private func stop(_ connection: Connection) -> Bool { kill(connection.backendProcessID, SIGSTOP) == 0 }

    private func cancel(_ connection: Connection, after milliseconds: UInt32) {
        let canceller = connection.canceller
        Thread.detachNewThread {
            usleep(milliseconds * 1_000)
            canceller.cancelUnitOfWork()
        }
    }

    @Test func cancellationGivesUpAServerThatDoesNotAnswer() throws {
        let connection = try TestCluster.connect()
        guard stop(connection) else { return }
        defer { kill(connection.backendProcessID, SIGCONT) }
        cancel(connection, after: 100)
        let start = ContinuousClock.now
        let error = try #require(throws: PostgresError.self) { try connection.query("SELECT 1") }
        #expect(start.duration(to: .now) < .seconds(3))
        #expect(!connection.isUsable)
        // Outside of a transaction the server may have done it.
        #expect(error.code == .cancelled && error.mayHaveCommitted)
    }

    @Test func inATransactionNothingIsInDoubt() throws {
        let connection = try TestCluster.connect()
        try connection.begin()
        guard stop(connection) else { return }
        defer { kill(connection.backendProcessID, SIGCONT) }
        cancel(connection, after: 100)
        let start = ContinuousClock.now
        let error = try #require(throws: PostgresError.self) { try connection.query("SELECT 1") }
        #expect(error.code == .cancelled && !error.mayHaveCommitted)
        try? connection.rollback()
        #expect(start.duration(to: .now) < .seconds(3))
    }

    @Test func aRollbackAfterTheEndWaitsForASecondOnly() throws {
        let connection = try TestCluster.connect()
        try connection.begin()
        guard stop(connection) else { return }
        defer { kill(connection.backendProcessID, SIGCONT) }
        connection.deadline = .now
        let start = ContinuousClock.now
        #expect(throws: PostgresError.self) { try connection.rollback() }
        #expect(start.duration(to: .now) < .seconds(2) && !connection.isUsable)
    }

    @Test func aRollbackThatTheDeadlineOvertakesWaitsForASecondMore() throws {
        let connection = try TestCluster.connect()
        try connection.begin()
        guard stop(connection) else { return }
        defer { kill(connection.backendProcessID, SIGCONT) }
        connection.deadline = .now + .milliseconds(300)
        let start = ContinuousClock.now
        #expect(throws: PostgresError.self) { try connection.rollback() }
        #expect(start.duration(to: .now) < .milliseconds(2300) && !connection.isUsable)
    }

    @Test func aRollbackThatACancellationOvertakesWaitsForASecondMore() throws {
        let connection = try TestCluster.connect()
        try connection.begin()
        guard stop(connection) else { return }
        defer { kill(connection.backendProcessID, SIGCONT) }
        cancel(connection, after: 300)
        let start = ContinuousClock.now
        #expect(throws: PostgresError.self) { try connection.rollback() }
        #expect(start.duration(to: .now) < .milliseconds(2300) && !connection.isUsable)
    }

    @Test func aStatementThatEndsInTimeKeepsTheConnection() throws {
        let connection = try TestCluster.connect()
        for _ in 0..<5 {
            cancel(connection, after: 20)
            #expect(throws: PostgresError.self) { try connection.query("SELECT pg_sleep(20)") }
            connection.resetCancellation()
        }
        // Longer than the grace: what was to cut the connection looks at its own statement only.
        #expect(try connection.query("SELECT 1 FROM pg_sleep(1.2)").scalar(\.int32) == 1)
        #expect(connection.isUsable)
    }

    @Test func theTimeoutOfStatementsLeavesCopyAlone() throws {
        let connection = try TestCluster.connect { $0.statementDeadline = .milliseconds(200) }
        let error = try #require(throws: PostgresError.self) { try connection.query("SELECT pg_sleep(20)") }
        #expect(error.code == .deadlineExceeded && error.statementTimeout == .milliseconds(200))
        connection.deadline = .now + .milliseconds(50)
        let own = try #require(throws: PostgresError.self) { try connection.query("SELECT pg_sleep(20)") }
        #expect(own.code == .deadlineExceeded && own.statementTimeout == nil)
        connection.deadline = nil
        _ = try connection.query("CREATE TEMPORARY TABLE slow (a integer)", cached: false)
        let count = try connection.copyIn("COPY slow FROM STDIN (FORMAT binary)") { writer in
            usleep(400_000)
            try writer.row(columns: 1) { $0.int32(1) }
        }
        #expect(count == 1)
    }

    @Test func waitingForAConnectionEndsWithTheCancellation() throws {
        let pool = ConnectionPool(configuration: try TestCluster.configuration(), maximumConnections: 1)
        let held = try pool.lease(timeout: .seconds(5))
        let start = ContinuousClock.now
        #expect(throws: CancellationError.self) {
            _ = try pool.lease(timeout: .seconds(20)) { cancel in
                Thread.detachNewThread {
                    usleep(100_000)
                    cancel()
                }
                return true
            }
        }
        #expect(start.duration(to: .now) < .seconds(5))
        #expect(throws: CancellationError.self) { _ = try pool.lease(timeout: .seconds(20)) { _ in false } }
        #expect(pool.status.waiting == 0)
        pool.release(held)
        pool.release(try pool.lease(timeout: .seconds(1)))
    }

    /// A server that takes connections and says nothing.
    private func silent(_ body: (_ port: UInt16) throws -> Void) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(listener) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 9) == 0
                    && getsockname(listener, $0, &length) == 0
            }
        }
        #expect(status)
        try body(UInt16(bigEndian: address.sin_port))
    }

    @Test func openingEndsWithThePatience() throws {
        try silent { port in
            let configuration = try ConnectionConfiguration("host=127.0.0.1 port=\(port) dbname=x user=x")
            let start = ContinuousClock.now
            let late = try #require(throws: PostgresError.self) {
                _ = try Connection(configuration, patience: Patience(until: .now + .milliseconds(200)))
            }
            #expect(late.code == .connectionFailed && late.message.contains("in time"))
            #expect(throws: PostgresError.self) {
                _ = try Connection(
                    configuration, patience: Patience { start.duration(to: .now) > .milliseconds(400) })
            }
            #expect(start.duration(to: .now) < .seconds(3))
        }
    }

    /// Each address of a name has its own time: localhost has two, or the list of hosts stands for it.
    @Test func aSilentAddressDoesNotKeepTheOthersFromBeingTried() throws {
        try silent { port in
            let good = try TestCluster.configuration()
            let directory = try #require(good["host"])
            var configuration = good
            configuration["host"] = "127.0.0.1,\(directory)"
            configuration["port"] = "\(port),\(good["port"] ?? "5432")"
            configuration.connectTimeout = .milliseconds(300)
            let start = ContinuousClock.now
            #expect(try Connection(configuration).query("SELECT 1").scalar(\.int32) == 1)
            #expect(start.duration(to: .now) < .seconds(3))
        }
    }

    /// The question whether there is a pooler counts as a part of opening.
    @Test func aServerThatIsSilentAfterItsGreetingIsGivenUp() throws {
        let pooler = try FussyPooler(stalling: 6)
        defer { pooler.close() }
        var configuration = try ConnectionConfiguration("host=\(pooler.directory) user=u dbname=d")
        configuration["options"] = nil
        let start = ContinuousClock.now
        let error = try #require(throws: PostgresError.self) {
            _ = try Connection(configuration, patience: Patience(until: .now + .milliseconds(300)))
        }
        #expect(error.code == .connectionFailed && !error.mayHaveCommitted)
        #expect(start.duration(to: .now) < .seconds(5))
    }

    @Test func addressesOfANameAreAttemptsOfTheirOwn() throws {
        var hosts = HostAddresses(shuffles: false)
        let local = try hosts.attempts(["host": "localhost", "port": "1"]).get()
        #expect(!local.isEmpty && local.allSatisfy { $0["host"] == "localhost" && $0["hostaddr"] != nil })
        #expect(Set(local.map { $0["hostaddr"] }).count == local.count)
        for same in [
            ["host": "/tmp"], ["host": "@x"], ["hostaddr": "::1", "host": "x"], [:], ["service": "x"],
        ] {
            #expect(try hosts.attempts(same).get() == [same])
        }
        let error = try #require(throws: PostgresError.self) {
            _ = try Connection(ConnectionConfiguration("host=no.such.host.invalid"))
        }
        #expect(error.message.contains("could not translate host name \"no.such.host.invalid\""))
    }

    @Test func refusalsHaveTheirSQLSTATEAndAPlainMessage() throws {
        let error = try #require(throws: PostgresError.self) {
            _ = try TestCluster.connect { $0["dbname"] = "no_such_database" }
        }
        #expect(error.sqlState == SQLState.invalidCatalogName)
        #expect(error.message.hasSuffix("FATAL:  database \"no_such_database\" does not exist"))
    }

    /// A limit of the database instead of the server's, which other tests share.
    @Test func unitsWaitForTheConnectionsThatTheServerLets() async throws {
        let admin = try TestCluster.connect()
        try admin.executeScript("CREATE DATABASE few CONNECTION LIMIT 2")
        // Superusers have no limit.
        try admin.executeScript("CREATE ROLE few_app LOGIN")
        defer { try? admin.executeScript("DROP DATABASE few WITH (FORCE); DROP ROLE few_app") }
        let configuration = try TestCluster.configuration {
            $0["dbname"] = "few"
            $0["user"] = "few_app"
        }
        let pool = ConnectionPool(configuration: configuration, maximumConnections: 8)
        let sum = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<24 {
                group.addTask {
                    let connection = try await pool.lease(timeout: .seconds(300))
                    _ = try connection.query("SELECT pg_sleep(0.02)")
                    pool.release(connection)
                    return 1
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(sum == 24)
        let held = try (0..<2).map { _ in try pool.lease(timeout: .seconds(5)) }
        let error = try #require(throws: PostgresError.self) {
            _ = try pool.lease(timeout: .milliseconds(500))
        }
        #expect(error.code == .poolTimeout && error.sqlState == SQLState.tooManyConnections)
        for connection in held { pool.release(connection) }
        _ = await pool.close(drainingFor: .seconds(5))
    }
}
