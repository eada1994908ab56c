import Foundation

/// A program that runs to its end, with what it printed.
enum ChildProgram {
    struct Outcome {
        let output: String
        let seconds: Double
        /// The processor time of the program, in seconds.
        let processor: Double
    }

    /// The processor time of all programs that have ended, in seconds.
    private static var processor: Double {
        var usage = rusage()
        #if canImport(Darwin)
        getrusage(RUSAGE_CHILDREN, &usage)
        #else
        getrusage(__rusage_who_t(-1), &usage)
        #endif
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1_000_000 }
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
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
        let before = processor
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
        return Outcome(
            output: String(decoding: text, as: UTF8.self), seconds: seconds, processor: processor - before)
    }
}
