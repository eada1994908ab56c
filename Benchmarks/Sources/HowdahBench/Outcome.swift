import Foundation

/// What a run found out; the driver compares it with what the database says.
struct Outcome: Codable, Sendable {
    var seconds = 0.0
    var count = 0
    var sum = 0.0
    /// Kilobytes that the objects of the workload hold, and the most that the process ever had.
    var held = 0
    var peak = 0
    /// Statements on entity tables, where they were counted.
    var statements: Int?
}

/// What the kernel says about this process's memory, in kilobytes.
enum Memory {
    static var resident: Int { field("VmRSS:") }
    static var peak: Int { field("VmHWM:") }

    private static func field(_ name: String) -> Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix(name) }
        return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    }
}
