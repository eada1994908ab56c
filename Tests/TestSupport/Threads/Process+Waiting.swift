package import Foundation

extension Process {
    /// Waits for the end of the process, on a thread of its own.
    package func untilExit() async { await onThread { self.waitForEnd() } }

    /// Blocks until the process has ended.
    ///
    /// Foundation on Linux can miss the end of a process, and `waitUntilExit()` then never returns. This is seen rarely, if
    /// many processes start and end.
    package func waitForEnd() {
        var info = siginfo_t()
        // Without a result: Foundation has noticed the end, and taken the status.
        while waitid(P_PID, id_t(processIdentifier), &info, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        let latest = ContinuousClock.now + .seconds(5)
        while isRunning, .now < latest { Thread.sleep(forTimeInterval: 0.001) }
    }

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
