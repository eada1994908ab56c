import Foundation

/// What children see of this process's environment.
enum SystemEnvironment {
    /// Nothing that could steer the server or `initdb` (`PGDATA`, `PGPORT`, `LANG`, …): a private cluster is the
    /// same on every machine. Library paths stay, for installations that need them.
    static var forServer: [String: String] {
        var result = ["PATH": searchPath.joined(separator: ":"), "LC_ALL": "C"]
        for name in ["LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "TZDIR"] {
            result[name] = ProcessInfo.processInfo.environment[name]
        }
        return result
    }

    private static let searchPath = [
        "/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin",
    ]

    /// The first executable file of that name in the folders.
    static func executable(_ name: String, in folders: [String] = searchPath) -> String? {
        folders.lazy.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }
}
