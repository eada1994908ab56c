import Foundation

/// A second process that has a notebook open, and does what it is told; see `Tenant` in `CrashWriter`.
///
/// `@unchecked Sendable`: a test asks it one thing at a time.
package final class TenantProgram: @unchecked Sendable {
    private let process = Process()
    private let input = Pipe()
    private let lines: LineReader

    /// Starts it, and returns when the store is open.
    package init(_ url: String, schema: String = "public") async throws {
        let output = Pipe()
        lines = LineReader(output)
        process.executableURL = CrashWriter.program
        process.arguments = [url, "tenant", schema]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        if await answer() != "open" { throw CancellationError() }
    }

    package var identifier: Int32 { process.processIdentifier }

    /// Says a line, and returns the answer.
    package func ask(_ line: String) async -> String {
        say(line)
        return await answer()
    }

    /// Says a line.
    package func say(_ line: String) { input.fileHandleForWriting.write(Data((line + "\n").utf8)) }

    /// Returns the next line that it prints; empty if it has ended.
    package func answer() async -> String { await lines.next() ?? "" }

    /// Ends it as it ends by itself, and returns its exit status.
    @discardableResult package func end() async -> Int32 {
        try? input.fileHandleForWriting.close()
        await process.untilExit()
        return process.terminationReason == .exit ? process.terminationStatus : -1
    }

    deinit { if process.isRunning { process.terminate() } }
}
