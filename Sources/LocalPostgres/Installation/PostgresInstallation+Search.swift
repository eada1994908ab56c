import Foundation

extension PostgresInstallation {
    /// The installation to use on this machine.
    ///
    /// The folder named by the environment variable `HOWDAH_PG_BINDIR` and no other where it is set; else what
    /// `pg_config --bindir` says, then the folders of Debian, Red Hat, Homebrew and Postgres.app, the newest major
    /// version first, then the folders of `PATH`. Runs `pg_config`, which takes a few milliseconds.
    ///
    /// - Throws: ``LocalPostgresError`` with the code `installationNotFound`, its message naming the command that
    ///   installs PostgreSQL and the folders looked into.
    public static func find() throws(LocalPostgresError) -> PostgresInstallation {
        try find(environment: ProcessInfo.processInfo.environment, patterns: knownFolders)
    }

    /// Folders of packagers; `*` stands for the version.
    static let knownFolders = [
        "/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/opt/homebrew/opt/postgresql@*/bin",
        "/usr/local/opt/postgresql@*/bin", "/Applications/Postgres.app/Contents/Versions/*/bin",
    ]

    static func find(
        environment: [String: String], patterns: [String]
    ) throws(LocalPostgresError) -> PostgresInstallation {
        if let folder = environment["HOWDAH_PG_BINDIR"], !folder.isEmpty {
            do {
                return try PostgresInstallation(folder: folder)
            } catch {
                throw LocalPostgresError(
                    error.code, error.message + " Correct or unset HOWDAH_PG_BINDIR, which names this folder."
                )
            }
        }
        let path = (environment["PATH"] ?? "").split(separator: ":").map(String.init)
        let candidates = configured(path, environment) + patterns.flatMap(newestFirst) + path
        for folder in candidates {
            if let found = try? PostgresInstallation(folder: folder) { return found }
        }
        throw LocalPostgresError(
            .installationNotFound,
            "No PostgreSQL server was found by pg_config, in \(patterns.joined(separator: ", ")) and in PATH. Install "
                + "one (Debian, Ubuntu: apt-get install postgresql; Mac: brew install postgresql) or set "
                + "HOWDAH_PG_BINDIR to the folder of initdb.")
    }

    private static func configured(_ path: [String], _ environment: [String: String]) -> [String] {
        guard let program = SystemEnvironment.executable("pg_config", in: path),
            let answer = ChildProcess.output(of: [program, "--bindir"], environment: environment)
        else { return [] }
        return [answer.trimmingCharacters(in: .whitespacesAndNewlines)]
    }

    /// The existing folders of a pattern with one `*`, by the version number in its place.
    private static func newestFirst(_ pattern: String) -> [String] {
        let parts = pattern.split(separator: "*", maxSplits: 1).map(String.init)
        guard parts.count == 2, let slash = parts[0].lastIndex(of: "/") else { return [] }
        let parent = String(parts[0][..<slash])
        let stem = parts[0][parts[0].index(after: slash)...]
        let names = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
        return
            names
            .filter { $0.hasPrefix(stem) }
            .sorted {
                version($1.dropFirst(stem.count)).lexicographicallyPrecedes(version($0.dropFirst(stem.count)))
            }
            .map { "\(parent)/\($0)\(parts[1])" }
    }

    private static func version(_ text: Substring) -> [Int] {
        text.split(separator: ".").map { Int($0) ?? -1 }
    }
}
