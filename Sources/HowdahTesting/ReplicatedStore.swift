import LocalPostgres
import PQClient
import Synchronization

/// A store on a primary server, with replicas, for tests of a failover.
///
/// ``withTemporaryReplica(_:replicas:options:settings:_:)`` makes it.
public final class ReplicatedStore: Sendable {
    static let gate = StoreGate(3)
    /// Indicates whether this task has passed the gate. A nested store must not wait for the outer one.
    @TaskLocal static var isInside = false
    static let database = "howdah"

    /// The server that was the primary at first.
    public let primary: ReplicatedServer
    private let others = Mutex<(replicas: [ReplicatedServer], copies: [ReplicatedServer])>(([], []))

    init(settings: [String: String]) async throws {
        primary = try await Blocking.run {
            let cluster = try LocalCluster.start(
                settings: LocalCluster.replicationSettings.merging(settings) { $1 })
            return ReplicatedServer(cluster)
        }
        try await Blocking.run { [primary] in
            let connection = try Connection(ConnectionConfiguration(primary.administrationURL))
            defer { connection.close() }
            try connection.executeScript("CREATE DATABASE \(SQLIdentifier.quoted(Self.database))")
        }
    }

    /// The replicas, in the order in which they were added.
    public var replicas: [ReplicatedServer] { others.withLock { $0.replicas } }

    /// The first replica.
    ///
    /// - Precondition: There is one.
    public var replica: ReplicatedServer { replicas[0] }

    /// The connection string of whichever of the servers is the primary now.
    ///
    /// It lists all of them with `target_session_attrs=read-write`, as a program's address for a failover does.
    /// It lists the replicas that exist at the time of the call.
    public var url: String {
        LocalCluster.url(
            database: Self.database, clusters: ([primary] + replicas).map(\.cluster),
            keywords: ["target_session_attrs": "read-write"])
    }

    /// Adds a replica of the primary, or of another server that has become one; takes about half a second.
    ///
    /// - Throws: `LocalPostgresError`, for example because the source is stopped.
    @discardableResult
    public nonisolated(nonsending) func addReplica(
        of source: ReplicatedServer? = nil
    ) async throws -> ReplicatedServer {
        let source = source ?? primary
        let replica = try await Blocking.run {
            ReplicatedServer(try source.cluster.startStandby(settings: source.ownSettings))
        }
        others.withLock { $0.replicas.append(replica) }
        return replica
    }

    /// Copies a server as it is now, as if its volume were restored from a snapshot; takes about half a second.
    ///
    /// The copy is a primary with the same system identifier and timeline. It takes its own changes and is in
    /// neither ``replicas`` nor ``url``.
    ///
    /// - Throws: `LocalPostgresError`, for example because the source is stopped.
    public nonisolated(nonsending) func copy(of source: ReplicatedServer) async throws -> ReplicatedServer {
        let copy = try await Blocking.run {
            ReplicatedServer(try source.cluster.startCopy(settings: source.ownSettings))
        }
        others.withLock { $0.copies.append(copy) }
        return copy
    }

    /// Ends a server for good and deletes its data, for tests that use many servers.
    public func remove(_ server: ReplicatedServer) async {
        others.withLock { others in
            others.replicas.removeAll { $0 === server }
            others.copies.removeAll { $0 === server }
        }
        _ = try? await Blocking.run { server.cluster.stop(.immediate) }
    }

    /// Moves the databases of a stopped server to a new one by `pg_upgrade`, which has another identifier.
    package nonisolated(nonsending) func upgrade(_ source: ReplicatedServer) async throws -> ReplicatedServer
    {
        let upgraded = try await Blocking.run { ReplicatedServer(try source.cluster.startUpgrade()) }
        others.withLock { $0.copies.append(upgraded) }
        return upgraded
    }

    func end() async {
        let (replicas, copies) = others.withLock { $0 }
        let all = [primary] + replicas + copies
        _ = try? await Blocking.run { for server in all { server.cluster.stop(.immediate) } }
    }
}
