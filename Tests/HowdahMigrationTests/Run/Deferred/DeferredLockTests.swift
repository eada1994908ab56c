import Foundation
import HowdahMigration
import HowdahRuntime
import HowdahSchema
import HowdahStages
import HowdahTesting
import PQClient
import TestSupport
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
            async let hasMore: Bool = onThread {
                let connection = try Connection(ConnectionConfiguration(url))
                defer { connection.close() }
                return try DeferredWork(connection).finishNext()
            }
            // The new index is locked exclusively until it is visible to other sessions, which keeps no one waiting.
            let others =
                "c.oid IS NOT NULL AND l.pid NOT IN (\(writer.backendProcessID), \(watcher.backendProcessID)) "
                + "AND l.database = "
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

    /// The running version writes rows that have no value yet, and such rows, at every moment.
    @Test func rowsCanBeWrittenBeforeTheyAreFilled() async throws {
        try await Register.with { database, connection in
            let other = try Connection(ConnectionConfiguration(database.url))
            defer { other.close() }
            #expect(throws: MigrationError.self) {
                connection.observer = { event in
                    guard event.sql.contains("SET \"age\" = 30") else { return }
                    _ = try? other.query(
                        "SELECT pg_catalog.pg_terminate_backend(\(connection.backendProcessID), 5000)",
                        cached: false)
                }
                _ = try Register.runner(connection).apply()
            }
            let empty = "SELECT count(*) FROM person WHERE age IS NULL"
            #expect(try other.query(empty, cached: false).scalar(\.int64) == 15)
            let update =
                "UPDATE person SET height = 151 WHERE _id = (SELECT min(_id) FROM person WHERE age IS NULL)"
            #expect(try other.query(update, cached: false).affectedRows == 1)
            _ = try other.query(
                "INSERT INTO person (_id, _version, title, age) VALUES (100001, 1, 'new', NULL)",
                cached: false)
            #expect(try other.query(empty, cached: false).scalar(\.int64) == 14)
            // The control: without the trigger that gives the value, the rule refuses both.
            try other.begin()
            let trigger = try other.query(
                "SELECT tgname::text FROM pg_trigger WHERE tgrelid = 'person'::regclass AND tgname LIKE '\\_howdah\\_required%'",
                cached: false)
            let name = try #require(trigger.map { $0[0].string() }.first)
            _ = try other.query("DROP TRIGGER \(SQLIdentifier.quoted(name)) ON person", cached: false)
            let error = #expect(throws: PostgresError.self) { try other.query(update, cached: false) }
            #expect(error?.sqlState == SQLState.checkViolation)
            try other.rollback()

            try DeferredWork(other).finish()
            #expect(try other.query(empty, cached: false).scalar(\.int64) == 0)
            #expect(try await Register.differences(database) == [])
        }
    }

    @Test(.timeLimit(.minutes(60))) func cancellingEndsTheBuildOfAnIndex() async throws {
        try await Register.with { database, connection in
            _ = try Register.runner(connection).apply()
            let container = try await PersistentContainer.open(database.url, model: Register.new())
            let work = PendingWork(connection, in: "public")
            while let next = try work.steps().first {
                if case .index = next.step.work { break }
                _ = try await container.finishDeferredLightweightMigrationTask()
            }
            let writer = try Connection(ConnectionConfiguration(database.url))
            defer { writer.close() }
            // Holds the build up for as long as it is open.
            try writer.begin()
            _ = try writer.query("LOCK TABLE person IN ROW EXCLUSIVE MODE", cached: false)
            let task = Task { try await container.finishDeferredLightweightMigration() }
            func builds() throws -> Int {
                try connection.query(
                    "SELECT pid FROM pg_catalog.pg_stat_activity WHERE state = 'active' AND query LIKE "
                        + "'%INDEX CONCURRENTLY%' AND pid <> pg_catalog.pg_backend_pid() "
                        + "AND datname = pg_catalog.current_database()", cached: false
                ).map { $0[0].int32 }.count
            }
            while try builds() == 0 { try await Task.sleep(for: .milliseconds(5)) }
            let start = ContinuousClock.now
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(start.duration(to: .now) < .seconds(3))
            #expect(try builds() == 0)
            try writer.commit()
            try await container.finishDeferredLightweightMigration()
            #expect(try await container.pendingMigrationSteps.isEmpty)
            await container.close()
        }
    }

    /// The pool's next lease has the session: with the migration's lock no other program could migrate the store.
    @Test(.timeLimit(.minutes(60))) func aCancelledFinishLeavesNothingInItsSession() async throws {
        try await Register.with { database, connection in
            _ = try Register.runner(connection).apply()
            var options = StoreOptions()
            options.maximumConnections = 1
            let container = try await PersistentContainer.open(
                database.url, model: Register.new(), options: options)
            let work = PendingWork(connection, in: "public")
            while let next = try work.steps().first {
                if case .index = next.step.work { break }
                _ = try await container.finishDeferredLightweightMigrationTask()
            }
            func settings() async throws -> [String] {
                try await container.perform { context in
                    try context.fetchRows(
                        String.self,
                        sql:
                            "SELECT name || ' ' || setting FROM pg_settings WHERE name IN ('search_path', 'lock_timeout', 'client_connection_check_interval', 'idle_session_timeout') ORDER BY 1"
                    )
                }
            }
            let before = try await settings()
            let other = try Connection(ConnectionConfiguration(database.url))
            defer { other.close() }
            try other.begin()
            _ = try other.query("LOCK TABLE person IN SHARE UPDATE EXCLUSIVE MODE", cached: false)
            let task = Task { try await container.finishDeferredLightweightMigration() }
            let waits =
                "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'person'::regclass "
                + "AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
            while try connection.query(waits, cached: false).scalar(\.int64) == 0 {
                try await Task.sleep(for: .milliseconds(5))
            }
            // The control: it has the lock while it waits.
            let lock = "SELECT pg_try_advisory_lock(hashtextextended('howdah:public', 0))"
            #expect(try connection.query(lock, cached: false).scalar(\.bool) == false)
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(try await settings() == before)
            #expect(try connection.query(lock, cached: false).scalar(\.bool) == true)
            _ = try connection.query("SELECT pg_advisory_unlock_all()", cached: false)
            try other.rollback()
            try await container.finishDeferredLightweightMigration()
            #expect(try await settings() == before)
            await container.close()
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
                    let found = try Self.strongest(
                        where: "l.pid = \(connection.backendProcessID)", connection)
                    if statement.hasPrefix("DROP FUNCTION") {
                        #expect(found == nil)
                        try connection.commit()
                        continue
                    }
                    let mode = try #require(found)
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
            #expect(weak == 3 && strong == 5)
        }
    }
}
