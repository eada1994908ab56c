import Foundation

/// Runs programs as a person would, and shows both the command and what it says.
struct Shell {
    let folder: URL
    /// The paths of programs by their names.
    let programs: [String: String]
    /// What is added to the demo's own environment.
    let environment: [String: String]

    /// - Throws: `DemoError` where the program ends with another status.
    func run(
        _ program: String, _ arguments: [String], input: String? = nil, expecting status: Int32 = 0,
        isShown: Bool = true
    ) throws {
        let process = Process()
        process.executableURL = programs[program].map { URL(fileURLWithPath: $0) }
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput =
            try input.map { try FileHandle(forReadingFrom: folder.appending(path: $0)) }
            ?? FileHandle.nullDevice
        // One pipe, so that what is said comes in its order.
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        if isShown { Screen.line("  $ " + Self.line([program] + arguments, input)) }
        try process.run()
        let said = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        if isShown {
            for line in said.split(separator: "\n") { Screen.line("    " + line) }
        }
        guard process.terminationStatus == status else {
            throw DemoError(
                "\(Self.line([program] + arguments, input)) ended with status \(process.terminationStatus): \(said)"
            )
        }
    }

    private static func line(_ words: [String], _ input: String?) -> String {
        words.map { $0.contains(" ") ? "\"\($0)\"" : $0 }.joined(separator: " ")
            + (input.map { " < \($0)" } ?? "")
    }
}
