import Foundation

/// A second process that has a notebook open, and does what it is told; see `Tenant` in `CrashWriter`.
package final class TenantProgram {
    private let process = Process()
    private let (input, output) = (Pipe(), Pipe())
    private var unread = Data()

    /// Starts it, and returns when the store is open.
    package init(_ url: String, schema: String = "public") throws {
        process.executableURL = CrashWriter.program
        process.arguments = [url, "tenant", schema]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        if answer() != "open" { throw CancellationError() }
    }

    package var identifier: Int32 { process.processIdentifier }

    /// Says a line, and returns the answer.
    package func ask(_ line: String) -> String {
        say(line)
        return answer()
    }

    /// Says a line.
    package func say(_ line: String) { input.fileHandleForWriting.write(Data((line + "\n").utf8)) }

    /// Returns the next line that it prints; empty if it has ended.
    package func answer() -> String {
        while true {
            if let end = unread.firstIndex(of: 10) {
                defer { unread = Data(unread[(end + 1)...]) }
                return String(decoding: unread[unread.startIndex..<end], as: UTF8.self)
            }
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { return "" }
            unread += more
        }
    }

    /// Ends it as it ends by itself, and returns its exit status.
    @discardableResult package func end() -> Int32 {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
        return process.terminationReason == .exit ? process.terminationStatus : -1
    }

    deinit {
        if process.isRunning { process.terminate() }
        process.waitUntilExit()
    }
}
