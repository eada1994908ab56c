import Dispatch
import Foundation
import Howdah
import HowdahTesting
import PQClient
import TestSupport
import Testing

/// A store of the company model, with a way to act on its database behind its back.
struct CompanyStore: Sendable {
    let container: PersistentContainer
    let url: String

    /// Runs `body` with a store of its own on at most `connections` connections and as many threads.
    nonisolated(nonsending)
        static func with<T>(
            connections: Int = 4, options: StoreOptions = StoreOptions(),
            _ body: (CompanyStore) async throws -> T
        ) async throws -> T
    {
        var options = options.patient
        options.maximumConnections = connections
        let model = try Company.model()
        return try await withTestDatabase(for: model) { database in
            let container = try await PersistentContainer.open(database.url, model: model, options: options)
            do {
                let result = try await body(CompanyStore(container: container, url: database.url))
                await container.close(drainingFor: .seconds(5))
                return result
            } catch {
                await container.close(drainingFor: .seconds(5))
                throw error
            }
        }
    }

    /// Opens a session of its own on the store's database.
    func session() throws -> Connection { try Connection(ConnectionConfiguration(TestPooler.direct(url))) }

    /// Ends every other session on the database and waits until they are gone.
    func terminateSessions() throws {
        let session = try session()
        defer { session.close() }
        _ = try session.query(
            """
            SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid()
            """)
    }

    /// Runs one statement in a session of its own.
    func execute(_ sql: String) throws {
        let session = try session()
        defer { session.close() }
        _ = try session.query(sql)
    }

    /// Suspends until this many statements wait for a lock.
    func untilBlocked(_ count: Int = 1) async throws {
        let session = try session()
        defer { session.close() }
        let sql = """
            SELECT count(DISTINCT pid) FROM pg_locks
            WHERE NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
            """
        while true {
            let result = try session.query(sql)
            if result.row(0)[0].int64 >= Int64(count) { return }
            try await Task.sleep(for: .milliseconds(2))
        }
    }

    /// Makes employees and returns their ids, in the order of their numbers.
    nonisolated(nonsending) func hire(_ count: Int) async throws -> [ObjectID<Employee>] {
        try await container.perform { context in
            let people = (0..<count).map { number in
                let employee = Employee(context: context)
                employee.firstName = "E\(number)"
                return employee
            }
            try context.save()
            return people.map(\.objectID)
        }
    }

    /// The stored names of all employees, read behind the container's back.
    func storedNames() throws -> [String] {
        let session = try session()
        defer { session.close() }
        let result = try session.query("SELECT first_name FROM employee ORDER BY first_name COLLATE \"C\"")
        return (0..<result.rowCount).map { result.row($0)[0].string() }
    }
}

/// Holds ACCESS EXCLUSIVE on the employees, so that every statement on them waits as long as this lives.
final class EmployeeLock {
    private let session: Connection

    init(_ store: CompanyStore) throws {
        session = try store.session()
        try session.begin()
        _ = try session.query("LOCK TABLE employee IN ACCESS EXCLUSIVE MODE")
    }

    func release() { session.close() }

    deinit { session.close() }
}
