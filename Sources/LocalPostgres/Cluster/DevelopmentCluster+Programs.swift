import Foundation

extension DevelopmentCluster {
    func startServer() throws(LocalPostgresError) {
        // An old socket would not hinder the server, but would look like one to those who only look.
        try control(
            ["start", "-w", "-t", "60", "-l", dataPath + "/server.log", "-o", serverOptions], or: .startFailed
        )
    }

    /// Makes the database where it is missing.
    func makeDatabase(_ name: String) throws(LocalPostgresError) {
        let list = ChildProcess.output(
            of: [
                try program("psql"), "-XqAt0", "-d", url(database: "postgres"), "-c",
                "SELECT datname FROM pg_database",
            ], environment: SystemEnvironment.forServer)
        guard let list else {
            throw LocalPostgresError(.system, "The server in \(path) does not answer psql.")
        }
        if list.split(separator: "\0").contains(Substring(name)) { return }
        try run(
            [
                try program("createdb"), "-h", socketFolder, "-p", String(LocalCluster.port), "-U",
                LocalCluster.user, "--", name,
            ], or: .system)
    }

    /// Runs pg_ctl, which knows how to tell a live server from the traces of a killed one.
    func control(_ arguments: [String], or code: LocalPostgresError.Code) throws(LocalPostgresError) {
        guard let first = arguments.first else { return }
        try run([try program("pg_ctl"), first, "-D", dataPath] + arguments.dropFirst(), or: code)
    }

    /// pg_ctl hands this to a shell.
    private var serverOptions: String {
        "-c config_file='" + settingsPath.replacing("'", with: "'\\''") + "'"
    }

    /// Runs a program as the server's account, with its words in the log.
    func run(_ arguments: [String], or code: LocalPostgresError.Code) throws(LocalPostgresError) {
        let raw = try SystemCall.check("cannot write the log \(logPath)") {
            open(logPath, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0o600)
        }
        let log = try SystemCall.raised(raw)
        defer { _ = close(log) }
        let null = try SystemCall.raised(
            try SystemCall.check("cannot open /dev/null") { open("/dev/null", O_RDONLY | O_CLOEXEC) })
        defer { _ = close(null) }
        let child = try ChildProcess(
            ["/bin/sh", "-c", "cd / && exec \"$@\"", "sh"] + (account?.launcher ?? []) + arguments,
            environment: SystemEnvironment.forServer,
            descriptors: [(child: 0, ours: null), (child: 1, ours: log), (child: 2, ours: log)])
        guard child.wait() != 0 else { return }
        let name = arguments[0].split(separator: "/").last.map(String.init) ?? arguments[0]
        let words = tail(logPath) + tail(dataPath + "/server.log")
        throw LocalPostgresError(
            code, "\(name) failed:\n\(words)\(words.contains("ermission denied") ? permissionHint : "")")
    }

    private func tail(_ file: String) -> String {
        guard let data = FileManager.default.contents(atPath: file), !data.isEmpty else { return "" }
        return String(decoding: data, as: UTF8.self).split(separator: "\n").suffix(12).joined(separator: "\n")
            + "\n"
    }

    private var permissionHint: String {
        guard let account else { return "" }
        return
            "The server runs as \(account.name), which must get through to \(path); where it cannot, choose a "
            + "folder below /tmp or /var, or run this as an ordinary user."
    }
}
