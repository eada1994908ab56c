package import HowdahModel
package import HowdahRuntime
import HowdahTesting
import PQClient
import Testing

/// A second pair of eyes on a database: SQL that does not go through the library.
package struct PlainSQL {
    package let url: String

    package init(url: String) { self.url = url }

    /// Runs a statement; all columns must be text.
    @discardableResult
    package func rows(_ sql: String) throws -> [[String?]] {
        let connection = try Connection(ConnectionConfiguration(TestPooler.direct(url)))
        defer { connection.close() }
        let result = try connection.query(sql, cached: false)
        return (0..<result.rowCount).map { index in
            (0..<result.columnCount).map {
                result.row(index)[$0].isNull ? nil : result.row(index)[$0].string()
            }
        }
    }

    /// Runs statements, as of a dump.
    package func script(_ sql: String) throws {
        let connection = try Connection(ConnectionConfiguration(TestPooler.direct(url)))
        defer { connection.close() }
        try connection.executeScript(sql)
    }

    /// The only value of a statement.
    package func value(_ sql: String) throws -> String? { try rows(sql).first?.first ?? nil }

    /// Ends all sessions, and lets new ones look for a deadlock after `time`.
    ///
    /// A session looks once: a test with the server's second fails if its other session comes to wait later.
    package func lookForDeadlocks(after time: String) throws {
        try script(
            """
            DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET deadlock_timeout = \(time)', current_database()); END $$;
            SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid();
            """)
    }

    /// Runs `body` beside another session that has changed rows, and lets that commit once `body` waits.
    package nonisolated(nonsending) func committing<T: Sendable>(
        _ script: String, onceWaiting body: @escaping @Sendable () async throws -> T
    ) async throws -> T {
        let other = try Connection(ConnectionConfiguration(TestPooler.direct(url)))
        defer { other.close() }
        try other.executeScript("BEGIN; \(script)")
        async let result = body()
        let waiting =
            "SELECT count(*)::text FROM pg_locks JOIN pg_stat_activity USING (pid) "
            + "WHERE NOT granted AND datname = current_database()"
        while try value(waiting) == "0" { try await Task.sleep(for: .milliseconds(5)) }
        try other.executeScript("COMMIT")
        return try await result
    }
}

/// An open store, and its database for plain SQL.
nonisolated(nonsending)
    package func withStore<T>(
        _ model: ManagedObjectModel, options: StoreOptions = StoreOptions(),
        _ body: (PersistentContainer, PlainSQL) async throws -> T
    ) async throws -> T
{
    try await withTestDatabase(for: model, options: options) { database in
        let container = try await PersistentContainer.open(
            database.url, model: model, options: options.patient)
        do {
            let result = try await body(container, PlainSQL(url: database.url))
            await container.close(drainingFor: .seconds(5))
            return result
        } catch {
            await container.close(drainingFor: .seconds(5))
            throw error
        }
    }
}

/// The error of a save that must fail.
package func saveError(_ body: () throws -> Void) -> SaveError? {
    do {
        try body()
        return nil
    } catch {
        return error as? SaveError
    }
}

/// Checks that `body` throws a `FetchError` of this code.
package func expect(_ code: FetchError.Code, _ body: () throws -> some Any) {
    #expect { _ = try body() } throws: { ($0 as? FetchError)?.code == code }
}
