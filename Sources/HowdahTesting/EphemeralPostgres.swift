import Foundation
import LocalPostgres
import PQClient
import Synchronization

/// A private PostgreSQL for one run of tests.
///
/// It is started once per process, is reachable only through a socket, and ends with the process, even if
/// that crashes. It needs PostgreSQL's server programs on the machine, but no running server, account or
/// port.
public final class EphemeralPostgres: Sendable {
    private let cluster: LocalCluster
    private let templates = TemplateRegistry()
    private let counter = Atomic<Int>(0)
    private let administrators = Mutex<[Administrator]>([])
    let gate = StoreGate(24)

    private static let started = Mutex<EphemeralPostgres?>(nil)
    private static let starting = Mutex<Task<EphemeralPostgres, any Error>?>(nil)

    /// A session that creates and drops databases.
    ///
    /// `@unchecked Sendable` is sound: a session is either in the list or used by the one call that took it
    /// out.
    private struct Administrator: @unchecked Sendable { let connection: Connection }

    private init(cluster: LocalCluster) { self.cluster = cluster }

    /// Returns the process's server; the first call starts it, which takes about a second.
    ///
    /// - Throws: `LocalPostgresError` if the server programs are missing, with the command that installs
    ///   them.
    public static func shared() throws -> EphemeralPostgres {
        try started.withLock { started in
            if let server = started { return server }
            let server = EphemeralPostgres(
                cluster: try LocalCluster.start(settings: ["max_connections": "400"]))
            started = server
            return server
        }
    }

    /// Returns the process's server as ``shared()`` does. Callers wait for its start without a thread.
    static func ready() async throws -> EphemeralPostgres {
        let task = starting.withLock { starting in
            let task = starting ?? Task.detached { try await Blocking.run { try shared() } }
            starting = task
            return task
        }
        do {
            return try await task.value
        } catch {
            // The next test tries again.
            starting.withLock { if $0 == task { $0 = nil } }
            throw error
        }
    }

    /// Returns the URL of one of the server's databases.
    public func url(database: String = "postgres") -> String { cluster.url(database: database) }

    /// Creates an empty database, or a copy of another one; takes about a tenth of a second.
    public func createDatabase(from template: String? = nil) throws -> TemporaryDatabase {
        let number = counter.add(1, ordering: .relaxed).newValue
        let name = "howdah_test_\(ProcessInfo.processInfo.processIdentifier)_\(number)"
        try create(name, from: template)
        return TemporaryDatabase(name: name, url: url(database: name), server: self)
    }

    /// Returns the name of the database that was prepared for `key`; the first caller prepares it, others
    /// wait.
    func template(
        for key: String, prepare: @escaping @Sendable (_ url: String) async throws -> Void
    ) async throws -> String {
        let name = "howdah_template_\(key)"
        return try await templates.name(for: key) {
            // One that could not be prepared before is made anew.
            try await Blocking.run {
                try self.drop(name)
                try self.create(name, from: nil)
            }
            try await prepare(self.url(database: name))
            return name
        }
    }

    func drop(_ name: String) throws {
        try administer { _ in "DROP DATABASE IF EXISTS \(SQLIdentifier.quoted(name)) WITH (FORCE)" }
    }

    private func create(_ name: String, from template: String?) throws {
        let source = template.map { " TEMPLATE \(SQLIdentifier.quoted($0))" } ?? ""
        try administer { version in
            // PostgreSQL 15 writes every page to the log unless it is asked to copy files, a third of the time.
            let strategy = version >= 150_000 ? " STRATEGY file_copy" : ""
            return "CREATE DATABASE \(SQLIdentifier.quoted(name))\(source)\(strategy)"
        }
    }

    /// Runs a statement. A session costs as much as a small database: unused ones wait for the next
    /// statement.
    private func administer(_ sql: (_ version: Int) -> String) throws {
        var connection: Connection?
        while connection == nil, let waiting = administrators.withLock({ $0.popLast() }) {
            // A test may have ended it, or all sessions at once.
            if waiting.connection.checkLiveness() {
                connection = waiting.connection
            } else {
                waiting.connection.close()
            }
        }
        let session = try connection ?? Connection(ConnectionConfiguration(url()))
        do {
            _ = try session.query(sql(session.serverVersion), cached: false)
        } catch {
            session.close()
            throw error
        }
        administrators.withLock { $0.append(Administrator(connection: session)) }
    }
}
