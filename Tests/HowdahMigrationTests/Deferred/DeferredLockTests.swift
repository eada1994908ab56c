import Foundation
import HowdahMigration
import HowdahTesting
import PQClient
import Testing

/// After the first transaction nobody is kept from reading or writing for longer than a change of the catalogue takes.
@Suite struct DeferredLockTests {
    /// From weak to strong; what comes after the first four keeps others from writing.
    private static let modes = [
        "AccessShareLock", "RowShareLock", "RowExclusiveLock", "ShareUpdateExclusiveLock", "ShareLock",
        "ShareRowExclusiveLock", "ExclusiveLock", "AccessExclusiveLock",
    ]
    private static let strongestAllowed = 3

    /// The strongest lock on a table of the store, of sessions for which a condition holds.
    private static func strongest(where condition: String, _ connection: Connection) throws -> Int? {
        try connection.query(
            "SELECT l.mode FROM pg_catalog.pg_locks l LEFT JOIN pg_catalog.pg_class c ON c.oid = l.relation "
                + "WHERE \(condition) AND l.relation >= 16384 AND (c.oid IS NULL OR c.relkind = 'r' "
                + "AND c.relnamespace = 'public'::pg_catalog.regnamespace AND c.relname NOT LIKE '\\_howdah\\_p%')",
            cached: false
        ).map { $0[0].string() }.compactMap { modes.firstIndex(of: $0) }.max()
    }

    @Test func indexesAreBuiltWhileOthersWrite() async throws {
        try await Register.with { database, connection in
            let writer = try Connection(ConnectionConfiguration(database.url))
            let watcher = try Connection(ConnectionConfiguration(database.url))
            defer {
                writer.close()
                watcher.close()
            }
            // The unique index is left, as after a runner that was killed.
            #expect(throws: MigrationError.self) {
                connection.observer = { event in
                    guard event.sql.contains("*/ CREATE UNIQUE INDEX CONCURRENTLY") else { return }
                    _ = try? watcher.query(
                        "SELECT pg_catalog.pg_terminate_backend(\(connection.backendProcessID))",
                        cached: false)
                }
                _ = try Register.runner(connection).apply()
            }
            let pending = try PendingWork(watcher, in: "public").steps()
            #expect(pending.first?.step.reason == "Person.title is unique", "\(pending)")
            if case .index(let name)? = pending.first?.step.work {
                _ = try watcher.query("DROP INDEX \(SQLIdentifier.quoted(name))", cached: false)
            }

            // Whoever writes holds the build up, and is not held up by it.
            try writer.begin()
            _ = try writer.query("UPDATE person SET height = 151", cached: false)
            let url = database.url
            async let hasMore: Bool = Self.onThread {
                let connection = try Connection(ConnectionConfiguration(url))
                defer { connection.close() }
                return try DeferredMigrationRunner(connection).finishNext()
            }
            let others =
                "l.pid NOT IN (\(writer.backendProcessID), \(watcher.backendProcessID)) AND l.database = "
                + "(SELECT oid FROM pg_catalog.pg_database WHERE datname = pg_catalog.current_database())"
            var seen: Set<Int> = []
            while !seen.contains(Self.strongestAllowed) {
                if let mode = try Self.strongest(where: others, watcher) { seen.insert(mode) }
                try await Task.sleep(for: .milliseconds(5))
            }
            #expect(seen.max() == Self.strongestAllowed)
            _ = try writer.query("UPDATE person SET height = 152", cached: false)
            _ = try writer.query(
                "INSERT INTO person (_version, title, age) VALUES (1, 'new', 1)", cached: false)
            try writer.commit()
            #expect(try await hasMore)
        }
    }

    private static func onThread<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
        }
    }

    /// What takes long locks weakly, and what locks strongly looks at no row.
    @Test func whatScansLocksWeakly() async throws {
        try await Register.with { _, connection in
            _ = try Register.runner(connection).apply()
            let reads = """
                SELECT CAST(COALESCE(sum(pg_catalog.pg_stat_get_xact_tuples_returned(c.oid)), 0) AS bigint)
                FROM pg_catalog.pg_class c WHERE c.relname = 'person'
                """
            var (weak, strong) = (0, 0)
            for pending in try PendingWork(connection, in: "public").steps() {
                if case .index = pending.step.work { continue }
                for statement in pending.step.statements {
                    try connection.begin()
                    let before = try connection.query(reads, cached: false).map { $0[0].int64 }.first ?? 0
                    _ = try connection.query(statement, cached: false)
                    let mode = try #require(
                        try Self.strongest(where: "l.pid = \(connection.backendProcessID)", connection))
                    let after = try connection.query(reads, cached: false).map { $0[0].int64 }.first ?? 0
                    let rows = after - before
                    try connection.commit()
                    if mode > Self.strongestAllowed {
                        #expect(rows == 0, "\(statement) reads \(rows) rows")
                        strong += 1
                    } else {
                        #expect(rows > 0, "\(statement) looks at nothing")
                        weak += 1
                    }
                }
            }
            #expect(weak == 3 && strong == 4)
        }
    }
}
