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

    /// Writes a file below the folder, and the folders on the way.
    func write(_ text: String, at path: String) throws {
        let file = URL(fileURLWithPath: self.path).appending(path: path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    /// Writes what stands between the tags of a model, as a version that Xcode would have written.
    func place(_ elements: String, at path: String) throws {
        try write(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<model>\(elements)</model>", at: path + "/contents")
    }
}
