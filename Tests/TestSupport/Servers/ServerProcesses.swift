import Foundation
package import LocalPostgres

/// The processes of a server, which are killed as they would be by a machine that is out of memory.
package enum ServerProcesses {
    /// Kills the first process and all that it started, at once, and comes back when they are gone.
    package static func kill(of cluster: DevelopmentCluster) {
        guard case .running(let first) = cluster.state else { return }
        let all = [first] + children(of: first)
        // None starts another one meanwhile.
        for process in all { _ = Foundation.kill(process, SIGSTOP) }
        for process in all { _ = Foundation.kill(process, SIGKILL) }
        for _ in 0..<12_000 where all.contains(where: isAlive) { Thread.sleep(forTimeInterval: 0.01) }
    }

    /// The process that started this one; of a session, the one that takes connections.
    package static func parent(of process: Int32) -> Int32? { status(of: process)?.parent }

    private static func children(of parent: Int32) -> [Int32] {
        let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return processes.compactMap { Int32($0) }.filter { status(of: $0)?.parent == parent }
    }

    private static func isAlive(_ process: Int32) -> Bool {
        status(of: process).map { $0.state != "Z" } ?? false
    }

    /// The name in parentheses may hold anything.
    private static func status(of process: Int32) -> (state: Substring, parent: Int32)? {
        guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
            let end = text.lastIndex(of: ")")
        else { return nil }
        let fields = text[end...].split(separator: " ")
        guard fields.count > 2, let parent = Int32(fields[2]) else { return nil }
        return (fields[1], parent)
    }
}
