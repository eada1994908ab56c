public import Foundation

extension LocalCluster {
    /// Makes a fresh cluster (UTF8, locale C) and gives it back when it takes sessions.
    ///
    /// Blocks for about a second, most of it `initdb`; do not call it on a thread of the cooperative pool where that
    /// matters. As root the server runs as the account `postgres`, else `nobody`. Leftovers of clusters that were
    /// killed together with their watchdog are deleted first.
    ///
    /// - Parameters:
    ///   - directory: where the cluster's own folder is made; nil means the temporary folder. With root it must be
    ///     open to other accounts, and its path short: a socket's path has 107 bytes at most (103 on a Mac).
    ///   - settings: server settings such as `["wal_level": "logical", "max_wal_senders": "4"]`.
    ///   - options: the server programs to use, and how long to wait for its start and its end.
    /// - Throws: ``LocalPostgresError`` of any code. Nothing is left behind then.
    public static func start(
        in directory: URL? = nil, settings: [String: String] = [:], options: Options = Options()
    ) throws(LocalPostgresError) -> LocalCluster {
        let settings = try ServerSettings(settings)
        let installation: PostgresInstallation
        if let chosen = options.installation {
            installation = chosen
        } else {
            installation = try PostgresInstallation.find()
        }
        return try start(.initdb, in: directory, settings, installation, options)
    }

    static func start(
        _ source: DataSource, in directory: URL?, _ settings: ServerSettings,
        _ installation: PostgresInstallation, _ options: Options
    ) throws(LocalPostgresError) -> LocalCluster {
        let account = try ServerAccount.current()
        let parent = directory.map { $0.path(percentEncoded: false) } ?? defaultParent(asRoot: account != nil)
        let absolute = URL(fileURLWithPath: parent).standardizedFileURL.path(percentEncoded: false)
        let trimmed = absolute.count > 1 && absolute.hasSuffix("/") ? String(absolute.dropLast()) : absolute
        ClusterFolder.sweep(trimmed)
        let folder = try ClusterFolder(in: trimmed, settings: settings, account: account)
        let watchdog: Watchdog
        do {
            watchdog = try Watchdog(
                folder: folder, installation: installation, account: account, source: source)
        } catch {
            folder.remove()
            throw error
        }
        do {
            try waitUntilReady(folder, watchdog, timeout: options.startTimeout)
        } catch {
            watchdog.end(.immediate, patience: .zero)
            folder.remove()
            throw error
        }
        return LocalCluster(
            installation: installation, folder: folder, settings: settings, options: options,
            watchdog: watchdog)
    }

    static func waitUntilReady(
        _ folder: ClusterFolder, _ watchdog: Watchdog, timeout: Duration
    ) throws(LocalPostgresError) {
        let deadline = ContinuousClock.now + timeout
        while !ServerProbe.isReady(socket: folder.socketPath, user: user) {
            if watchdog.hasEnded(within: .milliseconds(10)) {
                throw LocalPostgresError(
                    .startFailed,
                    "PostgreSQL ended before it was ready. Correct the cause that the end of its log shows:\n"
                        + folder.logTail(lines: 20))
            }
            if ContinuousClock.now >= deadline {
                throw LocalPostgresError(
                    .startTimedOut,
                    "PostgreSQL was not ready after \(timeout). Raise startTimeout, or read the end of its log:\n"
                        + folder.logTail(lines: 20))
            }
        }
    }

    /// The parent folder of a cluster if none is given: `TMPDIR` if the server can work in it, else `/tmp`.
    ///
    /// The server cannot work in a folder that is closed to its account, as root's own temporary folder is, or
    /// whose path leaves no room for the socket's name.
    private static func defaultParent(asRoot: Bool) -> String {
        let own = ProcessInfo.processInfo.environment["TMPDIR"] ?? ""
        let needed = "/\(ClusterFolder.prefix)1234567/s/.s.PGSQL.\(port)".utf8.count
        let fits = own.hasPrefix("/") && own.utf8.count + needed < UnixSocket.pathCapacity
        return fits && (!asRoot || isOpenToOthers(own)) ? own : "/tmp"
    }

    /// Indicates whether every account may pass through a folder and the folders that contain it.
    private static func isOpenToOthers(_ path: String) -> Bool {
        var folder = URL(fileURLWithPath: path, isDirectory: true).standardizedFileURL
        while true {
            let name = folder.path(percentEncoded: false)
            let attributes = try? FileManager.default.attributesOfItem(atPath: name)
            guard let mode = attributes?[.posixPermissions] as? Int, mode & 0o001 != 0 else { return false }
            if folder.pathComponents.count <= 1 { return true }
            folder.deleteLastPathComponent()
        }
    }
}
