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
        try check(database: database)
        for name in ["postgres", "pg_ctl", "initdb", "psql", "createdb"] { _ = try program(name) }
        try makeFolder()
        let lock = try DevelopmentLock(path + "/lock")
        defer { lock.release() }
        switch state {
        case .running: break
        case .unresponsive(let process): try waitUntilReady(process)
        case .absent, .stopped:
            try checkVersion()
            try makeSocketFolder()
            try makeData()
            forgetDeadServer()
            try startServer()
        }
        try makeDatabase(database)
        return url(database: database)
    }

    /// The server's own words for a name would come late, or it would cut it without any.
    private func check(database: String) throws(LocalPostgresError) {
        let problem: String
        switch database {
        case "": problem = "The name of the database is empty. Name a database."
        case "template0", "template1":
            problem =
                "\(database) is a template database of the server, in which you cannot store data. Choose "
                + "another database."
        case _ where database.contains("\0"):
            problem = "The name of the database contains NUL. Remove that character."
        case _ where database.utf8.count > 63:
            problem =
                "The name of the database has \(database.utf8.count) bytes, and the limit is 63. Choose a shorter name."
        default: return
        }
        throw LocalPostgresError(.invalidConfiguration, problem)
    }

    /// A server that recovers or is still being started becomes ready by itself.
    func waitUntilReady(_ process: Int32) throws(LocalPostgresError) {
        for _ in 0..<300 {
            if case .running = state { return }
            Thread.sleep(forTimeInterval: 0.1)
        }
        throw LocalPostgresError(
            .startFailed,
            "The server in \(path) (process \(process)) runs but accepts no sessions. It may be recovering, "
                + "paused or without free connections, or \(socketPath) was removed. Wait, or stop the "
                + "server and start it again."
        )
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
            throw LocalPostgresError(
                .invalidConfiguration, "\(path) has no cluster. Name the cluster's folder.")
        }
        let lock = try DevelopmentLock(path + "/lock")
        defer { lock.release() }
        switch state {
        case .absent, .stopped: return false
        case .running, .unresponsive: try control(["stop", "-m", "fast"], or: .system)
        }
        if socketFolder != path + "/s" { rmdir(socketFolder) }
        return true
    }

    private func makeFolder() throws(LocalPostgresError) {
        let files = FileManager.default
        var isFolder: ObjCBool = false
        if files.fileExists(atPath: path, isDirectory: &isFolder) {
            guard isFolder.boolValue else {
                throw LocalPostgresError(.invalidConfiguration, "\(path) is a file. Choose a folder.")
            }
            if files.fileExists(atPath: markerPath) { return }
            let content = (try? files.contentsOfDirectory(atPath: path)) ?? ["?"]
            guard content.allSatisfy({ $0 == "lock" }) else {
                throw LocalPostgresError(
                    .invalidConfiguration,
                    "\(path) contains files, but is not a cluster that howdah created. Choose an empty "
                        + "folder or a new one."
                )
            }
        } else {
            do {
                try files.createDirectory(atPath: path, withIntermediateDirectories: true)
            } catch {
                throw LocalPostgresError(
                    .system,
                    "Cannot create the folder \(path): \(error.localizedDescription) Choose another one.")
            }
        }
        // The server's account must get through to its own folders, which are closed to others.
        try SystemCall.check("Cannot change the permissions of \(path)") {
            chmod(path, account == nil ? 0o700 : 0o711)
        }
        guard files.createFile(atPath: markerPath, contents: Data("1\n".utf8)) else {
            throw LocalPostgresError(.system, "Cannot write in \(path). Choose a folder that you own.")
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
                    "The server needs a private folder for its socket, and \(socketFolder) belongs to "
                        + "another user or is open to other users. Remove \(socketFolder), or choose another "
                        + "folder for the cluster.")
            }
            return
        }
        try makeOwned(socketFolder)
    }

    private func makeOwned(_ folder: String) throws(LocalPostgresError) {
        try SystemCall.check("Cannot create the folder \(folder)") { mkdir(folder, 0o700) }
        guard let account else { return }
        try SystemCall.check("Cannot change the owner of \(folder) to \(account.name)") {
            chown(folder, account.user, account.group)
        }
    }

    /// A folder that was left half made by a killed start is made anew.
    private func makeData() throws(LocalPostgresError) {
        if !FileManager.default.fileExists(atPath: dataPath + "/PG_VERSION") {
            guard !FileManager.default.fileExists(atPath: dataPath) else {
                throw LocalPostgresError(
                    .invalidConfiguration,
                    "\(dataPath) is not a cluster, or the cluster is damaged: PG_VERSION is missing. Move "
                        + "\(dataPath) away, or choose another folder.")
            }
            // A name of its own: the initdb of a start that was killed may still be at work on another.
            let name = "data.new-\(UUID().uuidString)"
            let fresh = "\(path)/\(name)"
            removeUnfinished()
            try makeOwned(fresh)
            try run(
                [
                    try program("initdb"), "--pgdata=\(name)", "--username=\(LocalCluster.user)",
                    "--auth=trust", "--encoding=UTF8", "--locale=C",
                ], or: .startFailed)
            try SystemCall.check("Cannot rename \(fresh)") { rename(fresh, dataPath) }
        }
        let text = ServerSettings.development.file(data: dataPath, socketFolder: socketFolder)
        let isWritten = FileManager.default.createFile(
            atPath: settingsPath, contents: Data(text.utf8), attributes: [.posixPermissions: 0o644])
        guard isWritten else {
            throw LocalPostgresError(.system, "Cannot write \(settingsPath). Check its permissions.")
        }
    }

    private func removeUnfinished() {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        where name.hasPrefix("data.new") {
            try? FileManager.default.removeItem(atPath: "\(path)/\(name)")
        }
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
            "PostgreSQL \(major) created the cluster in \(path), and \(installation.folder) has \(version). Set "
                + "HOWDAH_PG_BINDIR to the programs of \(major), or choose another folder.")
    }
}
