import Foundation
package import LocalPostgres
import PQClient

/// One of the servers of a ``ReplicatedStore``.
public final class ReplicatedServer: Sendable {
    package let cluster: LocalCluster

    init(_ cluster: LocalCluster) { self.cluster = cluster }

    /// The connection string of the store on this server.
    public var url: String { cluster.url(database: ReplicatedStore.database) }

    var administrationURL: String { cluster.url() }

    /// The settings that a replica or a copy of this server does not take over.
    var ownSettings: [String: String] { ["recovery_min_apply_delay": "0"] }

    /// Stops the server as an administrator does: changes reach the connected replicas before it ends.
    public func stop() async { await end(.fast) }

    /// Ends the server as a crash does: without a checkpoint, and without writing the last changes of its log.
    ///
    /// With `synchronous_commit` off, the last commits are lost.
    public func crash() async { await end(.immediate) }

    /// Kills the server's main process with SIGKILL; its other processes end when they notice.
    public func kill() async { await end(.kill) }

    /// Kills the process of one session with SIGKILL: the server ends all sessions, recovers and goes on.
    ///
    /// With `synchronous_commit` off, the last commits are lost, as after ``crash()``. Returns when the server
    /// accepts sessions again.
    ///
    /// - Throws: ``ReplicationError``; the error of a connection.
    public nonisolated(nonsending) func crashSession() async throws {
        try await Blocking.run { [cluster, administrationURL] in
            let configuration = try ConnectionConfiguration(administrationURL)
            let victim = try Connection(configuration)
            let witness = try Connection(configuration)
            defer {
                victim.close()
                witness.close()
            }
            cluster.killProcess(victim.backendProcessID)
            // The server ends the witness once it knows, and accepts no session until it has recovered.
            let deadline = ContinuousClock.now + .seconds(60)
            func pause() throws {
                guard ContinuousClock.now < deadline else {
                    throw ReplicationError("The server did not recover within 60 s.")
                }
                Thread.sleep(forTimeInterval: 0.005)
            }
            while (try? witness.query("SELECT", cached: false)) != nil { try pause() }
            while true {
                if let connection = try? Connection(configuration) { return connection.close() }
                try pause()
            }
        }
    }

    /// Starts the server again; after a crash, it recovers first.
    ///
    /// - Throws: `LocalPostgresError` with the end of the server's log.
    public nonisolated(nonsending) func start() async throws {
        try await Blocking.run { [cluster] in try cluster.startServer() }
    }

    /// Indicates whether the server is a replica, which accepts no changes.
    ///
    /// - Throws: The error of the connection.
    public var isReplica: Bool {
        get async throws { try await ask("SELECT pg_catalog.pg_is_in_recovery()::text") == "true" }
    }

    private func end(_ mode: LocalCluster.StopMode) async {
        _ = try? await Blocking.run { [cluster] in cluster.stopServer(mode) }
    }

    /// Runs a statement as the superuser and returns its first value, as text.
    @discardableResult
    package nonisolated(nonsending) func ask(_ sql: String) async throws -> String? {
        try await Blocking.run { [administrationURL] in
            let connection = try Connection(ConnectionConfiguration(administrationURL))
            defer { connection.close() }
            return try connection.query(sql, cached: false).scalar { $0.string() }
        }
    }

    /// Waits until a statement answers `true`.
    nonisolated(nonsending) func wait(
        until sql: String, _ purpose: String, within limit: Duration
    ) async throws {
        let deadline = ContinuousClock.now + limit
        while try await ask(sql) != "true" {
            guard ContinuousClock.now < deadline else {
                throw ReplicationError(
                    "The server did not \(purpose) within \(limit). Its log ends with:\n"
                        + cluster.logTail(lines: 8))
            }
            try await Task.sleep(for: .milliseconds(5))
        }
    }
}

/// An error for a server that did not do what a test asked for in time.
public struct ReplicationError: Error, CustomStringConvertible {
    /// The missing event, with the end of the server's log.
    public let description: String

    init(_ description: String) { self.description = description }
}
