import Foundation
import LocalPostgres

/// A folder of its own for one test; what runs in it is stopped and deleted with it.
final class ToolFolder: Sendable {
    let path: String
    private let clusters: [String]

    init(clusters: String...) throws {
        let given = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
        let parent = given.utf8.count < 30 ? given : "/tmp"
        path = parent + "/tool-" + String(UInt32.random(in: .min ... .max), radix: 36)
        self.clusters = [".howdah/postgres"] + clusters
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
    }

    deinit {
        for cluster in clusters {
            _ = try? DevelopmentCluster(in: URL(fileURLWithPath: "\(path)/\(cluster)")).stop()
        }
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The process of the default cluster's server.
    var server: Int32? {
        let text = try? String(
            contentsOfFile: path + "/.howdah/postgres/data/postmaster.pid", encoding: .utf8)
        return text?.split(separator: "\n").first.flatMap { Int32($0) }
    }
}
