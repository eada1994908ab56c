import Foundation

/// A program that runs to its end, with what it printed.
enum ChildProgram {
    struct Outcome {
        let output: String
        let seconds: Double
    }

    /// Runs a program and waits for it.
    ///
    /// - Throws: ``BenchError`` with its complaint where it fails.
    static func run(_ arguments: [String]) throws -> Outcome {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: arguments[0])
        process.arguments = Array(arguments.dropFirst())
        let (output, complaints) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = complaints
        let start = ContinuousClock.now
        try process.run()
        let text = output.fileHandleForReading.readDataToEndOfFile()
        let complaint = complaints.fileHandleForReading.readDataToEndOfFile()
        // The pipes end with the program; Foundation hears of its end some milliseconds later.
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw BenchError(
                "\(arguments[0]) failed with status \(process.terminationStatus): "
                    + String(decoding: complaint.prefix(2_000), as: UTF8.self))
        }
        return Outcome(output: String(decoding: text, as: UTF8.self), seconds: seconds)
    }
}
