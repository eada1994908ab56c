import HowdahMigration
import HowdahModel
import HowdahRuntime
import HowdahTesting
import PQClient
import Synchronization
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
    ) throws -> MigrationRunner {
        var options = MigrationOptions()
        options.lockTimeout = timeout
        options.lockBudget = budget
        return MigrationRunner(connection, to: try model(.attribute("age", .integer16)), options: options)
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
            #expect(error?.message.hasSuffix("The store is as it was") == true)
        }
    }

    @Test func itGoesOnOnceTheTableIsFree() async throws {
        try await Self.withStore { database, connection in
            let other = try Self.holder(database, of: "alpha")
            let runner = try Self.runner(connection, timeout: .milliseconds(50), budget: .seconds(20))
            let ending = Task.detached {
                try await Task.sleep(for: .milliseconds(300))
                try other.rollback()
                other.close()
            }
            guard case .migrated = try runner.apply() else {
                Issue.record("nothing was done")
                return
            }
            try await ending.value
        }
    }

    /// One program holds the second table; readers of the first, which the migration has locked by then, get through
    /// each time it gives up.
    @Test func readersGetThroughBetweenTries() async throws {
        try await Self.withStore { database, connection in
            let other = try Self.holder(database, of: "omega")
            defer { other.close() }
            let isOver = Atomic(false)
            let reader = Task.detached {
                let session = try Connection(ConnectionConfiguration(database.url))
                defer { session.close() }
                var (count, longest) = (0, Duration.zero)
                while !isOver.load(ordering: .relaxed) {
                    let clock = ContinuousClock()
                    longest = try max(
                        longest,
                        clock.measure { _ = try session.query("SELECT count(*) FROM alpha", cached: false) })
                    count += 1
                    try await Task.sleep(for: .milliseconds(5))
                }
                return (count, longest)
            }
            let error = #expect(throws: MigrationError.self) {
                try Self.runner(connection, timeout: .milliseconds(200), budget: .seconds(3)).apply()
            }
            isOver.store(true, ordering: .relaxed)
            let (count, longest) = try await reader.value
            #expect(error?.code == .lockTimeout)
            // Each try holds up a reader once at most; it came through after every one.
            #expect(count > 3)
            // The wait of one try, with room for a machine that is busy, and not that of all of them.
            #expect(longest < .seconds(2), "\(longest)")
        }
    }

    /// The wait for several tables is one wait: statements that set the rest of it are sent in between.
    @Test func theTimeIsThatOfAllTablesTogether() async throws {
        try await Self.withStore { database, connection in
            let first = try Self.holder(database, of: "alpha")
            let second = try Self.holder(database, of: "omega")
            defer { second.close() }
            let settings = Mutex<[String]>([])
            connection.observer = { event in
                if event.sql.contains("lock_timeout") { settings.withLock { $0.append(event.sql) } }
            }
            let ending = Task.detached {
                try await Task.sleep(for: .milliseconds(500))
                try first.rollback()
                first.close()
            }
            let error = #expect(throws: MigrationError.self) {
                try Self.runner(connection, timeout: .seconds(3), budget: .seconds(3)).apply()
            }
            try await ending.value
            #expect(error?.message.contains("in 1 try: 'omega' is locked by session ") == true)
            let milliseconds = settings.withLock { $0 }.compactMap { sql in
                sql.split(separator: "lock_timeout = ").last.flatMap { Int($0.prefix { $0.isNumber }) }
            }
            #expect(
                milliseconds.count == 2 && milliseconds[0] == 3_000 && milliseconds[1] < 2_600,
                "\(milliseconds)")
        }
    }
}
