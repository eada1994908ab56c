public import Foundation
import Synchronization

extension LocalCluster {
    /// The settings with which a cluster can have standbys and copies.
    ///
    /// Pass them to ``start(in:settings:options:)``. A commit is then written before it is confirmed, because a
    /// standby receives only written changes.
    public static let replicationSettings = [
        "wal_level": "replica", "max_wal_senders": "10", "wal_keep_size": "256MB",
        "wal_retrieve_retry_interval": "100ms", "synchronous_commit": "on",
    ]

    /// Makes a standby of this server: a second server that applies its changes, and accepts reading sessions.
    ///
    /// The data is copied by `pg_basebackup`. Blocks until the standby takes sessions, for about half a second.
    /// It ends like every other cluster, with the last reference or the process. `SELECT pg_promote()` makes it
    /// a primary.
    ///
    /// - Parameters:
    ///   - directory: The folder for the standby's own folder; nil for that of this cluster.
    ///   - settings: Settings in addition to those of this cluster.
    /// - Throws: ``LocalPostgresError`` of any code. Nothing is left behind then.
    public func startStandby(
        in directory: URL? = nil, settings: [String: String] = [:]
    ) throws(LocalPostgresError) -> LocalCluster {
        try copy(isStandby: true, in: directory, ["primary_conninfo": conninfo()].merging(settings) { $1 })
    }

    /// Makes an independent copy of this server, as if its volume were restored from a snapshot.
    ///
    /// The copy has the same system identifier and the same timeline, and then takes its own changes. The
    /// data is copied by `pg_basebackup`. Blocks until the copy takes sessions, for about half a second.
    ///
    /// - Parameters:
    ///   - directory: The folder for the copy's own folder; nil for that of this cluster.
    ///   - settings: Settings in addition to those of this cluster.
    /// - Throws: ``LocalPostgresError`` of any code. Nothing is left behind then.
    public func startCopy(
        in directory: URL? = nil, settings: [String: String] = [:]
    ) throws(LocalPostgresError) -> LocalCluster {
        try copy(isStandby: false, in: directory, settings)
    }

    /// Makes the stopped server a standby at its next start, of the server that `primary_conninfo` names.
    package func markAsStandby() throws(LocalPostgresError) {
        try folder.markAsStandby(try ServerAccount.current())
    }

    private func copy(
        isStandby: Bool, in directory: URL?, _ custom: [String: String]
    ) throws(LocalPostgresError) -> LocalCluster {
        guard installation.executable("pg_basebackup") != nil else {
            throw LocalPostgresError(
                .installationNotFound,
                "\(installation.folder) has no pg_basebackup. Install PostgreSQL's client programs "
                    + "(Debian: postgresql-client).")
        }
        let settings = self.settings.withLock { $0 }
        guard settings.values["wal_level"] != "minimal", settings.values["max_wal_senders"] != "0" else {
            throw LocalPostgresError(
                .invalidConfiguration,
                "The cluster does not send its changes. Start it with LocalCluster.replicationSettings.")
        }
        return try Self.start(
            .backup(conninfo: conninfo(), isStandby: isStandby), in: directory ?? parent,
            settings.merging(custom), installation, options)
    }

    private var parent: URL { self.directory.deletingLastPathComponent() }
}
