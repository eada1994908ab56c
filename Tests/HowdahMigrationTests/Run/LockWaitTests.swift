import Foundation
import HowdahMigration
import HowdahModel
import HowdahRuntime
import HowdahTesting
import PQClient
import Synchronization
import TestSupport
import Testing

/// A transaction that holds a table: the migration waits in short tries, says who it is, and holds up nobody for longer.
@Suite struct LockWaitTests {
    private static func model(_ properties: PropertyDescription...) throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            entity("Alpha", [.attribute("name", .string)] + properties),
            entity("Omega", [.attribute("name", .string)] + properties),
        ])
    }

    private static func withStore(
        _ body: (TemporaryDatabase, Connection) async throws -> Void
    ) async throws {
        try await withTemporaryDatabase(for: model()) { database in
            let connection = try Connection(ConnectionConfiguration(database.url))
            defer { connection.close() }
            try await body(database, connection)
        }
    }

    /// A session with a name that has read a table in a transaction and goes on sitting there.
    private static func holder(_ database: TemporaryDatabase, of table: String) throws -> Connection {
        let connection = try Connection(ConnectionConfiguration(database.url))
        _ = try connection.query("SET application_name = 'nightly report'", cached: false)
        try connection.begin()
        _ = try connection.query("SELECT * FROM \(SQLIdentifier.quoted(table))", cached: false)
        return connection
    }

    private static func runner(
        _ connection: Connection, timeout: Duration, budget: Duration
    ) throws -> StoreMigration {
        var options = MigrationOptions()
        options.lockTimeout = timeout
        options.lockBudget = budget
        return StoreMigration(connection, to: try model(.attribute("age", .integer16)), options: options)
    }

    @Test func whoHoldsTheTableIsNamed() async throws {
        try await Self.withStore { database, connection in
            let other = try Self.holder(database, of: "omega")
            defer { other.close() }
            let start =
                try other.query(
                    "SELECT query_start::text FROM pg_stat_activity WHERE pid = pg_backend_pid()",
                    cached: false
                ).map { $0[0].string() }.first ?? "?"
            let error = #expect(throws: MigrationError.self) {
                try Self.runner(connection, timeout: .milliseconds(50), budget: .milliseconds(400)).apply()
            }
            #expect(error?.code == .lockTimeout)
            #expect(
                error?.message.contains(
                    "'omega' is locked by session \(other.backendProcessID) of nightly report from the same host "
                        + "(idle in transaction) since its query of \(start)") == true,
                "\(String(describing: error))")
            #expect(error?.message.contains(" tries: ") == true)
            #expect(error?.message.contains("within 0.4 s, in ") == true)
            #expect(error?.message.contains("The store is unchanged. End the transaction") == true)
        }
    }

    @Test("A time limit for idle sessions does not end the pauses of a migration")
    func idleSessions() async throws {
        try await Self.withStore { database, connection in
            guard connection.serverVersion >= 140_000 else { return }
            try connection.executeScript(
                "ALTER DATABASE \(SQLIdentifier.quoted(database.name)) SET idle_session_timeout = '5min'")
            let session = try Connection(ConnectionConfiguration(database.url))
            defer { session.close() }
            func limit() -> String? {
                try? session.query("SHOW idle_session_timeout", cached: false).map { $0[0].string() }.first
            }
            var limits: [String?] = [limit()]
            var runner = try Self.runner(session, timeout: .seconds(2), budget: .seconds(60))
            runner.observer = { event in if case .stageBegan = event { limits.append(limit()) } }
            try runner.apply()
            #expect(limits + [limit()] == ["5min", "0", "5min"])
        }
    }

    @Test("An error of the server says what the store has and what to do")
    func endedSession() async throws {
        try await Self.withStore { database, connection in
            let session = try Connection(ConnectionConfiguration(database.url))
            defer { session.close() }
            var runner = try Self.runner(session, timeout: .seconds(2), budget: .seconds(60))
            let end = "SELECT pg_terminate_backend(\(session.backendProcessID))"
            runner.observer = { event in
                if case .stageBegan = event { _ = try? connection.query(end, cached: false) }
            }
            let error = #expect(throws: MigrationError.self) { try runner.apply() }
            #expect(
                error?.message
                    == "The database operation was interrupted, because the database session ended. The store is unchanged. "
                    + "Run the migration again to continue.")
        }
    }

    @Test func eachHolderIsToldOnceWhileItIsWaitedFor() async throws {
        try await Self.withStore { database, connection in
            let other = try Self.holder(database, of: "omega")
            defer { other.close() }
            var runner = try Self.runner(connection, timeout: .milliseconds(50), budget: .seconds(2))
            var (tries, waits) = (0, [String]())
            runner.observer = { event in
                switch event {
                case .stageBegan: tries += 1
                case .lockMissed(let reason, let left) where left > .zero: waits.append(reason)
                default: break
                }
            }
            #expect(throws: MigrationError.self) { try runner.apply() }
            #expect(tries > 1)
            #expect(waits.count == 1)
            #expect(
                waits.first?.hasPrefix("'omega' is locked by session \(other.backendProcessID) of") == true)
        }
    }

    private static func failure(
        _ url: String, timeout: Duration, budget: Duration,
        watching observer: (@Sendable (StatementEvent) -> Void)? = nil
    ) async throws -> MigrationError? {
        try await onThread {
            let connection = try Connection(ConnectionConfiguration(url))
            defer { connection.close() }
            connection.observer = observer
            do {
                _ = try runner(connection, timeout: timeout, budget: budget).apply()
                return nil
            } catch let error as MigrationError {
                return error
            }
        }
    }

    /// Lets the table go a while after somebody began to wait for it.
    private static func rollBack(_ holder: Handed<Connection>, in url: String, after seconds: Double) {
        Thread.detachNewThread {
            guard let watch = try? Connection(ConnectionConfiguration(url)) else { return }
            defer { watch.close() }
            // Copies of a database have the same numbers for its tables.
            let waiting =
                "SELECT FROM pg_locks l JOIN pg_database d ON d.oid = l.database AND d.datname = current_database() "
                + "WHERE NOT l.granted AND l.relation = 'alpha'::regclass"
            while let found = try? watch.query(waiting, cached: false), found.rowCount == 0 {
                Thread.sleep(forTimeInterval: 0.01)
            }
            Thread.sleep(forTimeInterval: seconds)
            try? holder.value.rollback()
            holder.value.close()
        }
    }

    @Test func itGoesOnOnceTheTableIsFree() async throws {
        try await Self.withStore { database, _ in
            let other = Handed(try Self.holder(database, of: "alpha"))
            Self.rollBack(other, in: database.url, after: 0.3)
            let error = try await Self.failure(
                database.url, timeout: .milliseconds(50), budget: .seconds(20))
            #expect(error == nil)
        }
    }

    /// One program holds the second table; readers of the first, which the migration has locked by then, get through
    /// each time it gives up.
    @Test func readersGetThroughBetweenTries() async throws {
        try await Self.withStore { database, _ in
            let url = database.url
            let other = try Self.holder(database, of: "omega")
            defer { other.close() }
            let isOver = Flag()
            async let reading = onThread {
                let session = try Connection(ConnectionConfiguration(url))
                defer { session.close() }
                var (count, longest) = (0, Duration.zero)
                while !isOver.isSet {
                    let start = ContinuousClock.now
                    _ = try session.query("SELECT count(*) FROM alpha", cached: false)
                    longest = max(longest, start.duration(to: .now))
                    count += 1
                    Thread.sleep(forTimeInterval: 0.005)
                }
                return (count, longest)
            }
            let error = try await Self.failure(url, timeout: .milliseconds(200), budget: .seconds(4))
            isOver.set()
            let (count, longest) = try await reading
            #expect(error?.code == .lockTimeout)
            // Each try holds up a reader once at most; it came through after every one.
            #expect(count > 3)
            // The wait of one try, with room for a machine that is busy, and not that of all of them.
            #expect(longest < .seconds(2), "\(longest)")
        }
    }

    /// The wait for several tables is one wait: statements that set the rest of it are sent in between.
    @Test func theTimeIsThatOfAllTablesTogether() async throws {
        try await Self.withStore { database, _ in
            let first = Handed(try Self.holder(database, of: "alpha"))
            let second = try Self.holder(database, of: "omega")
            defer { second.close() }
            let settings = Sent()
            Self.rollBack(first, in: database.url, after: 0.5)
            let error = try await Self.failure(database.url, timeout: .seconds(4), budget: .seconds(4)) {
                event in
                if event.sql.contains("lock_timeout") { settings.note(event.sql) }
            }
            #expect(
                error?.message.contains("in 1 try: 'omega' is locked by session ") == true,
                "\(String(describing: error))")
            let milliseconds = settings.all.compactMap { sql in
                sql.split(separator: "lock_timeout = ").last.flatMap { Int($0.prefix { $0.isNumber }) }
            }
            #expect(
                milliseconds.count == 2 && milliseconds[0] <= 4_000
                    && milliseconds[1] < milliseconds[0] - 400, "\(milliseconds)")
        }
    }

    /// A try that could wait for longer waits for what is left of the budget.
    @Test func noTryWaitsLongerThanTheBudget() async throws {
        try await Self.withStore { database, _ in
            let other = try Self.holder(database, of: "omega")
            defer { other.close() }
            let settings = Sent()
            let error = try await Self.failure(
                database.url, timeout: .seconds(20), budget: .milliseconds(600)
            ) { event in
                if event.sql.contains("lock_timeout") { settings.note(event.sql) }
            }
            #expect(error?.code == .lockTimeout, "\(String(describing: error))")
            let milliseconds = settings.all.compactMap { sql in
                sql.split(separator: "lock_timeout = ").last.flatMap { Int($0.prefix { $0.isNumber }) }
            }
            #expect(!milliseconds.isEmpty && milliseconds.allSatisfy { $0 <= 600 }, "\(milliseconds)")
        }
    }

    private final class Sent: Sendable {
        private let statements = Mutex<[String]>([])

        var all: [String] { statements.withLock { $0 } }

        func note(_ sql: String) { statements.withLock { $0.append(sql) } }
    }
}
