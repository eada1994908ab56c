import Foundation

extension DevelopmentCluster {
    /// Removes the traces of a killed server that nobody collected, as in a container whose first process does not:
    /// PostgreSQL takes such a process for a living one and would refuse to start.
    ///
    /// Only where no process works in the data folder any more: those of a killed server end by themselves.
    func forgetDeadServer() {
        guard let process = serverProcessID, Self.isUncollected(process) else { return }
        for _ in 0..<100 {
            if !isInUse {
                for trace in [dataPath + "/postmaster.pid", socketPath + ".lock", socketPath] {
                    try? FileManager.default.removeItem(atPath: trace)
                }
                return
            }
            Thread.sleep(forTimeInterval: 0.05)
        }
    }

    static func isUncollected(_ process: Int32) -> Bool {
        guard let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else {
            return false
        }
        // The name before it may hold anything, parentheses too.
        return status.split(separator: ")").last?.split(separator: " ").first == "Z"
    }

    /// Whether a process has the data folder as its own; each of a server's has.
    private var isInUse: Bool {
        let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return processes.contains { Int32($0).flatMap(Self.workingFolder) == dataPath }
    }

    /// Nil where the system does not tell.
    static func workingFolder(of process: Int32) -> String? {
        try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/cwd")
    }
}
