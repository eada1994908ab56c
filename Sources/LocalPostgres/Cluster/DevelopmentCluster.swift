public import Foundation

/// A private PostgreSQL for development in a folder of its own, which keeps running, and keeps its data, until it is
/// stopped; the processes that started it may end.
///
/// It listens on a unix socket only, in a folder that is closed to other users, and there trusts everyone.
/// Starting and stopping block; several processes may do both at once.
public struct DevelopmentCluster: Sendable {
    /// What a cluster is doing.
    public enum State: Hashable, Sendable {
        /// There is nothing in the folder.
        case absent
        /// There is a cluster, and no server.
        case stopped
        /// The server takes sessions; the process identifier of its postmaster.
        case running(Int32)
        /// The server is there and takes no sessions: it starts, recovers, is full, or its socket is gone.
        case unresponsive(Int32)
    }

    /// The database that clusters are made with unless another is named.
    public static let defaultDatabase = "howdah"
    static let marker = "howdah-cluster"

    /// The absolute path of the cluster's folder.
    public let path: String
    let installation: PostgresInstallation
    let account: ServerAccount?
    let socketFolder: String

    /// The cluster in `folder`, whether it exists or not.
    ///
    /// - Throws: ``LocalPostgresError`` with `installationNotFound` or `privilegeDropUnavailable`.
    public init(in folder: URL, installation: PostgresInstallation? = nil) throws(LocalPostgresError) {
        if let installation {
            self.installation = installation
        } else {
            self.installation = try PostgresInstallation.find()
        }
        account = try ServerAccount.current()
        // One cluster has one socket, whatever links lead to it.
        let given = URL(fileURLWithPath: folder.path(percentEncoded: false)).standardizedFileURL
            .resolvingSymlinksInPath()
        let absolute = given.path(percentEncoded: false)
        path = absolute.count > 1 && absolute.hasSuffix("/") ? String(absolute.dropLast()) : absolute
        socketFolder = Self.socketFolder(for: path)
    }

    var dataPath: String { path + "/data" }
    var settingsPath: String { path + "/server.conf" }
    var logPath: String { path + "/log" }
    var markerPath: String { path + "/" + Self.marker }
    var socketPath: String { "\(socketFolder)/.s.PGSQL.\(LocalCluster.port)" }

    /// What the cluster is doing now.
    public var state: State {
        guard FileManager.default.fileExists(atPath: dataPath + "/PG_VERSION") else { return .absent }
        guard let process = serverProcessID, isServer(process) else { return .stopped }
        let isReady = ServerProbe.isReady(socket: socketPath, user: LocalCluster.user)
        return isReady ? .running(process) : .unresponsive(process)
    }

    /// The connection string of a database, for `PersistentContainer.open`, psql and every other client of libpq.
    public func url(database: String = defaultDatabase) -> String {
        LocalCluster.url(database: database, socketFolder: socketFolder)
    }

    /// The path of a program of the installation, such as psql.
    ///
    /// - Throws: ``LocalPostgresError`` with `installationNotFound` where it has none.
    public func program(_ name: String) throws(LocalPostgresError) -> String {
        guard let path = installation.executable(name) else {
            throw LocalPostgresError(
                .installationNotFound,
                "\(installation.folder) has no \(name). Install PostgreSQL "
                    + "(Debian: \(name == "psql" || name == "createdb" ? "postgresql-client" : "postgresql"))."
            )
        }
        return path
    }

    var serverProcessID: Int32? {
        let text = try? String(contentsOfFile: dataPath + "/postmaster.pid", encoding: .utf8)
        return text?.split(separator: "\n").first.flatMap { Int32($0) }
    }

    /// Whether the process that the data folder names is alive and its server; after a crash of the machine the
    /// number may belong to anyone.
    private func isServer(_ process: Int32) -> Bool {
        guard kill(process, 0) == 0 || errno == EPERM, !Self.isUncollected(process) else { return false }
        guard let folder = Self.workingFolder(of: process) else { return true }
        return folder == dataPath
    }

    /// Beside the data where the system takes so long a path for a socket, else in a short one that the path's own
    /// name leads to, always the same.
    private static func socketFolder(for path: String) -> String {
        let near = path + "/s"
        if "\(near)/.s.PGSQL.\(LocalCluster.port)".utf8.count < UnixSocket.pathCapacity { return near }
        // FNV-1a: stable from process to process, which Hasher is not.
        let hash = path.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return "/tmp/howdah-\(geteuid())-\(String(hash, radix: 36))"
    }
}
