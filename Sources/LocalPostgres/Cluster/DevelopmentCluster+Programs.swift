import Foundation

extension DevelopmentCluster {
    /// Starts the server and waits until it takes sessions.
    ///
    /// The `pg_ctl` of a start that was killed lives on. If it starts the server first, this one's `pg_ctl` fails,
    /// and the server runs.
    func startServer() throws(LocalPostgresError) {
        do {
            try control(
                ["start", "-w", "-t", "60", "-l", "data/server.log", "-o", "-c config_file=server.conf"],
                or: .startFailed)
        } catch {
            switch state {
            case .running: return
            case .unresponsive(let process): try waitUntilReady(process)
            case .absent, .stopped: throw error
            }
        }
    }

    /// Makes the database where it is missing.
    ///
    /// A start that was killed leaves its server session behind, which may make the database while this one tries.
    func makeDatabase(_ name: String) throws(LocalPostgresError) {
        if try hasDatabase(name) { return }
        do {
            try run(
                [
                    try program("createdb"), "-h", socketFolder, "-p", String(LocalCluster.port), "-U",
                    LocalCluster.user, "--", name,
                ], or: .system)
        } catch {
            guard try hasDatabase(name) else { throw error }
        }
    }

    private func hasDatabase(_ name: String) throws(LocalPostgresError) -> Bool {
        let list = ChildProcess.output(
            of: [
                try program("psql"), "-XqAt0", "-d", url(database: "postgres"), "-c",
                "SELECT datname FROM pg_database",
            ], environment: SystemEnvironment.forServer)
        guard let list else {
            throw LocalPostgresError(
                .system, "The server in \(path) did not answer psql. Stop it and start it again.")
        }
        return list.split(separator: "\0").contains(Substring(name))
    }

    /// Runs pg_ctl, which knows how to tell a live server from the traces of a killed one.
    func control(_ arguments: [String], or code: LocalPostgresError.Code) throws(LocalPostgresError) {
        guard let first = arguments.first else { return }
        try run([try program("pg_ctl"), first, "-D", "data"] + arguments.dropFirst(), or: code)
    }

    /// Runs a program as the server's account in the cluster's folder, with its words in the log.
    ///
    /// Paths are given relative to that folder: initdb and pg_ctl hand them to a shell, in which the name of a
    /// folder may mean something.
    func run(_ arguments: [String], or code: LocalPostgresError.Code) throws(LocalPostgresError) {
        let raw = try SystemCall.check("Cannot write the log \(logPath)") {
            open(logPath, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0o600)
        }
        let log = try SystemCall.raised(raw)
        defer { _ = close(log) }
        let null = try SystemCall.raised(
            try SystemCall.check("Cannot open /dev/null") { open("/dev/null", O_RDONLY | O_CLOEXEC) })
        defer { _ = close(null) }
        let before = size(of: serverLogPath)
        let child = try ChildProcess(
            ["/bin/sh", "-c", "cd -- \"$0\" && exec \"$@\"", path] + (account?.launcher ?? []) + arguments,
            environment: SystemEnvironment.forServer,
            descriptors: [(child: 0, ours: null), (child: 1, ours: log), (child: 2, ours: log)])
        guard child.wait() != 0 else { return }
        let name = arguments[0].split(separator: "/").last.map(String.init) ?? arguments[0]
        let words = tail(logPath) + tail(serverLogPath, from: before)
        throw LocalPostgresError(
            code,
            "\(name) failed. Correct the cause that the end of its output "
                + "shows:\n\(words)\(words.contains("ermission denied") ? permissionHint : "")")
    }

    private var serverLogPath: String { dataPath + "/server.log" }

    private func size(of file: String) -> Int {
        (try? FileManager.default.attributesOfItem(atPath: file)[.size] as? Int) ?? 0
    }

    /// The last lines of what was written since.
    private func tail(_ file: String, from start: Int = 0) -> String {
        guard let data = FileManager.default.contents(atPath: file), data.count > start else { return "" }
        return String(decoding: data.dropFirst(start), as: UTF8.self).split(separator: "\n").suffix(12)
            .joined(separator: "\n")
            + "\n"
    }

    private var permissionHint: String {
        guard let account else { return "" }
        return
            "The server runs as the account \(account.name), which needs access to \(path). Choose a folder below /tmp "
            + "or /var, or run this as an ordinary user."
    }
}
