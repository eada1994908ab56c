package import Foundation

extension Process {
    /// Waits for the end of the process, on a thread of its own.
    package func untilExit() async { await onThread { self.waitUntilExit() } }

    /// Kills the process, and waits for its end.
    package func killed() async {
        kill(processIdentifier, SIGKILL)
        await untilExit()
    }

    /// Runs the program to its end, and returns all that it printed to its standard output.
    ///
    /// - Parameter includingErrors: Indicates whether standard error goes to the same text.
    package func printed(includingErrors: Bool = false) async throws -> String {
        let output = Pipe()
        standardOutput = output
        if includingErrors { standardError = output }
        try run()
        let text = await output.fileHandleForReading.text()
        await untilExit()
        return text
    }
}

extension FileHandle {
    /// Reads to the end, on a thread of its own.
    package func text() async -> String {
        await onThread { String(decoding: self.readDataToEndOfFile(), as: UTF8.self) }
    }
}
