import Foundation
import LocalPostgres
import TestSupport

/// Counts that owe nothing to the library: the program `psql`, in a process of its own.
struct Psql {
    /// The program ended with an error, which this is.
    struct Failure: Error { let output: String }

    let url: String

    /// The rows of a query, their columns as text.
    func rows(_ sql: String) throws -> [[String]] {
        let process = Process()
        let program = try PostgresInstallation.find().executable("psql") ?? "/usr/bin/psql"
        process.executableURL = URL(filePath: program)
        process.arguments = ["-XqAt", "-F", "\t", "-v", "ON_ERROR_STOP=1", "-d", url, "-c", sql]
        let (output, errors) = (Pipe(), Pipe())
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let complaint = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitForEnd()
        guard process.terminationStatus == 0 else {
            throw Failure(output: String(decoding: complaint, as: UTF8.self))
        }
        return text.split(separator: "\n").map {
            $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        }
    }
}
