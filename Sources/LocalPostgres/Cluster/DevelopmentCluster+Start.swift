import Foundation

extension DevelopmentCluster {
    /// Makes the cluster and the database where they are missing, and the server run where it does not; returns the
    /// database's connection string.
    ///
    /// Blocks until the server takes sessions. Who comes while another process starts it waits for that one.
    ///
    /// - Throws: ``LocalPostgresError`` with `invalidConfiguration` where the folder is somebody else's or was made
    ///   by another major version of PostgreSQL; `system`, `startFailed` with the end of the server's log.
    @discardableResult
    public func start(database: String = defaultDatabase) throws(LocalPostgresError) -> String {
        guard !database.isEmpty, !database.contains("\0") else {
            throw LocalPostgresError(.invalidConfiguration, "A database has a name; give one.")
        }
        try makeFolder()
        let lock = try DevelopmentLock(path + "/lock")
        defer { lock.release() }
        if case .running = state {
        } else {
            try checkVersion()
            try makeSocketFolder()
            try makeData()
            forgetDeadServer()
            try startServer()
        }
        try makeDatabase(database)
        return url(database: database)
    }

    /// Ends the server, whose clients are sent away, and keeps the data; false where none was running.
    ///
    /// Blocks until it has ended.
    ///
    /// - Throws: ``LocalPostgresError`` with `invalidConfiguration` where there is no cluster, `system` where the
    ///   server does not end.
    @discardableResult
    public func stop() throws(LocalPostgresError) -> Bool {
        guard state != .absent else {
            throw LocalPostgresError(.invalidConfiguration, "There is no cluster in \(path).")
        }
        let lock = try DevelopmentLock(path + "/lock")
        defer { lock.release() }
        guard case .running = state else { return false }
        try control(["stop", "-m", "fast"], or: .system)
        return true
    }

    private func makeFolder() throws(LocalPostgresError) {
        let files = FileManager.default
        var isFolder: ObjCBool = false
        if files.fileExists(atPath: path, isDirectory: &isFolder) {
            guard isFolder.boolValue else {
                throw LocalPostgresError(.invalidConfiguration, "\(path) is a file; choose another folder.")
            }
            if files.fileExists(atPath: markerPath) { return }
            let content = (try? files.contentsOfDirectory(atPath: path)) ?? ["?"]
            guard content.allSatisfy({ $0 == "lock" }) else {
                throw LocalPostgresError(
                    .invalidConfiguration,
                    "\(path) holds something else than a cluster of howdah; choose an empty folder or a new one."
                )
            }
        } else {
            do {
                try files.createDirectory(atPath: path, withIntermediateDirectories: true)
            } catch {
                throw LocalPostgresError(
                    .system,
                    "Cannot make the folder \(path): \(error.localizedDescription) Choose another one.")
            }
        }
        // The server's account must get through to its own folders, which are closed to others.
        try SystemCall.check("cannot close \(path) to others") { chmod(path, account == nil ? 0o700 : 0o711) }
        guard files.createFile(atPath: markerPath, contents: Data("1\n".utf8)) else {
            throw LocalPostgresError(.system, "Cannot write in \(path); choose a folder of your own.")
        }
    }

    /// The system's folder for temporary files is open to everyone: one that is there already must be ours.
    private func makeSocketFolder() throws(LocalPostgresError) {
        var status = stat()
        if lstat(socketFolder, &status) == 0 {
            let owner = account?.user ?? geteuid()
            guard status.st_mode & S_IFMT == S_IFDIR, status.st_uid == owner, status.st_mode & 0o077 == 0
            else {
                throw LocalPostgresError(
                    .invalidConfiguration,
                    "\(socketFolder) belongs to somebody else or is open to others; remove it, or choose a folder "
                        + "with a shorter path.")
            }
            return
        }
        try makeOwned(socketFolder)
    }

    private func makeOwned(_ folder: String) throws(LocalPostgresError) {
        try SystemCall.check("cannot make the folder \(folder)") { mkdir(folder, 0o700) }
        guard let account else { return }
        try SystemCall.check("cannot give \(folder) to \(account.name)") {
            chown(folder, account.user, account.group)
        }
    }

    /// A folder that was left half made by a killed start is made anew.
    private func makeData() throws(LocalPostgresError) {
        if !FileManager.default.fileExists(atPath: dataPath + "/PG_VERSION") {
            let fresh = path + "/data.new"
            try? FileManager.default.removeItem(atPath: fresh)
            try? FileManager.default.removeItem(atPath: dataPath)
            try makeOwned(fresh)
            try run(
                [
                    try program("initdb"), "--pgdata=\(fresh)", "--username=\(LocalCluster.user)",
                    "--auth=trust", "--encoding=UTF8", "--locale=C",
                ], or: .startFailed)
            try SystemCall.check("cannot rename \(fresh)") { rename(fresh, dataPath) }
        }
        let text = ServerSettings.development.file(data: dataPath, socketFolder: socketFolder)
        let isWritten = FileManager.default.createFile(
            atPath: settingsPath, contents: Data(text.utf8), attributes: [.posixPermissions: 0o644])
        guard isWritten else { throw LocalPostgresError(.system, "Cannot write \(settingsPath).") }
    }

    private func checkVersion() throws(LocalPostgresError) {
        guard let made = try? String(contentsOfFile: dataPath + "/PG_VERSION", encoding: .utf8) else {
            return
        }
        let major = made.trimmingCharacters(in: .whitespacesAndNewlines)
        let output =
            ChildProcess.output(
                of: [try program("postgres"), "--version"], environment: SystemEnvironment.forServer) ?? ""
        guard let version = output.firstMatch(of: /[0-9]+/)?.output, version != major else { return }
        throw LocalPostgresError(
            .invalidConfiguration,
            "The cluster in \(path) was made by PostgreSQL \(major), and \(installation.folder) has \(version). "
                + "Set HOWDAH_PG_BINDIR to the programs of \(major), or choose another folder.")
    }
}
