import Foundation

/// A program that runs to its end, with what it printed.
enum ChildProgram {
    struct Outcome {
        let output: String
        let seconds: Double
        /// The processor time of the program, in seconds.
        let processor: Double
        /// How often its threads were switched off a processor.
        let switches: Int
    }

    /// The processor time of all programs that have ended, in seconds, and their context switches.
    private static var ended: (processor: Double, switches: Int) {
        var usage = rusage()
        #if canImport(Darwin)
        getrusage(RUSAGE_CHILDREN, &usage)
        #else
        getrusage(__rusage_who_t(-1), &usage)
        #endif
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1_000_000 }
        return (
            seconds(usage.ru_utime) + seconds(usage.ru_stime), Int(usage.ru_nvcsw) + Int(usage.ru_nivcsw)
        )
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
        let before = ended
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
        let after = ended
        return Outcome(
            output: String(decoding: text, as: UTF8.self), seconds: seconds,
            processor: after.processor - before.processor, switches: after.switches - before.switches)
    }
}
