public import Foundation
import Synchronization

/// A private, throw-away PostgreSQL server that lives no longer than the process that started it.
///
/// The server listens on a unix socket in a closed folder and on nothing else, so that any number of clusters run
/// side by side. It and its folder go away with ``stop(_:)``, with the last reference, with the end of the
/// process, and also when the process is killed: a small watchdog process holds one end of a line whose other end
/// only this process has. No signal handler is installed.
///
/// Durability is off (`fsync`, full page writes): the data survives a crash of the server, not one of the machine.
public final class LocalCluster: Sendable {
    /// How the sessions of a server end with it.
    public struct StopMode: Hashable, Sendable, CustomStringConvertible {
        /// The name as `pg_ctl` knows it, or `kill`.
        public let description: String

        /// Waits for all sessions to leave, for the patience of the cluster's options.
        public static let smart = StopMode(description: "smart")
        /// Ends all sessions, rolling back what they had open.
        public static let fast = StopMode(description: "fast")
        /// Ends as a crash would: without telling the clients and without a checkpoint.
        public static let immediate = StopMode(description: "immediate")
        /// Kills the server's main process, as the system does if memory is short. Its other processes end by
        /// themselves.
        public static let kill = StopMode(description: "kill")
    }

    /// What ``LocalCluster/start(in:settings:options:)`` can be told beside the folder and the settings.
    public struct Options: Sendable {
        /// The binaries to use; nil finds them with ``PostgresInstallation/find()``.
        public var installation: PostgresInstallation?
        /// How long `initdb` and the start of the server may take together.
        public var startTimeout: Duration = .seconds(60)
        /// How long ``LocalCluster/stop(_:)`` waits before it stops the server immediately.
        public var stopTimeout: Duration = .seconds(30)

        /// The options one mostly wants.
        public init() {}
    }

    /// The superuser of every local cluster; it has no password.
    public static let user = "postgres"
    /// The port number in the socket's name; no network port is opened.
    public static let port = 5432

    /// The binaries the server was started from.
    public let installation: PostgresInstallation
    let folder: ClusterFolder
    let options: Options
    let settings: Mutex<ServerSettings>
    /// Nil once the cluster has stopped.
    let state: Mutex<(watchdog: Watchdog, isRunning: Bool)?>

    init(
        installation: PostgresInstallation, folder: ClusterFolder, settings: ServerSettings,
        options: Options, watchdog: Watchdog
    ) {
        self.installation = installation
        self.folder = folder
        self.options = options
        self.settings = Mutex(settings)
        state = Mutex((watchdog, true))
        ExitHandler.add(self, watchdog)
    }

    deinit { stop(.immediate) }

    /// The cluster's own folder, deleted when it stops.
    public var directory: URL { URL(fileURLWithPath: folder.path, isDirectory: true) }
    /// The folder of the socket: libpq's `host`.
    public var socketDirectory: URL { URL(fileURLWithPath: folder.socketFolder, isDirectory: true) }

    /// The process number of the server, or nil once it has stopped.
    public var serverProcessID: Int32? {
        guard state.withLock({ $0?.isRunning ?? false }) else { return nil }
        let text = try? String(contentsOfFile: folder.dataPath + "/postmaster.pid", encoding: .utf8)
        return text?.split(separator: "\n").first.flatMap { Int32($0) }
    }

    /// The last lines the server has logged.
    public func logTail(lines: Int = 20) -> String { folder.logTail(lines: lines) }

    /// Ends the server and deletes the cluster's folder; does nothing the second time.
    ///
    /// Blocks until both are gone: some 50 ms, with ``StopMode/smart`` until the sessions have left. Safe from any
    /// thread.
    public func stop(_ mode: StopMode = .fast) {
        state.withLock { state in
            guard let last = state else { return }
            state = nil
            ExitHandler.remove(self)
            last.watchdog.end(last.isRunning ? mode : .immediate, patience: options.stopTimeout)
            folder.remove()
        }
    }
}
