import Foundation

/// How often a program and its threads call the kernel, as strace counts it.
///
/// A wait that is over before it begins needs fewer calls, so the number varies a little with the machine.
enum SystemCalls {
    private static let strace = "/usr/bin/strace"

    /// Runs a program and returns the number of its calls; nil if strace is missing or may not trace.
    static func count(_ arguments: [String]) throws -> Int? {
        guard FileManager.default.isExecutableFile(atPath: strace) else { return nil }
        let report = FileManager.default.temporaryDirectory.appending(
            path: "bench-calls-\(UUID().uuidString)"
        ).path(percentEncoded: false)
        defer { try? FileManager.default.removeItem(atPath: report) }
        do {
            _ = try ChildProgram.run([strace, "-f", "-c", "-o", report] + arguments)
        } catch {
            return nil
        }
        // The last line: share, seconds, microseconds for a call, calls, errors if there are any, "total".
        let lines = try String(contentsOfFile: report, encoding: .utf8).split(separator: "\n")
        guard let total = lines.last(where: { $0.hasSuffix("total") }) else { return nil }
        return total.split(separator: " ").dropFirst(3).first.flatMap { Int($0) }
    }
}
