import Foundation
import Testing

/// The built `howdah`, run as a user would run it.
struct Tool: Sendable {
    struct Outcome: Sendable {
        let status: Int32
        let output: String
        let complaint: String
    }

    /// The program, beside the test bundle in the build folder.
    private static let executable = program(named: "howdah")

    /// The build folder.
    static var folder: String? {
        executable.map { URL(fileURLWithPath: $0).deletingLastPathComponent().path(percentEncoded: false) }
    }

    /// A program beside the test bundle in the build folder, or by its path.
    private static func program(named name: String) -> String? {
        if name.hasPrefix("/") { return name }
        var folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        while folder.pathComponents.count > 1 {
            let path = folder.appending(path: name).path(percentEncoded: false)
            if FileManager.default.isExecutableFile(atPath: path) { return path }
            folder.deleteLastPathComponent()
        }
        return nil
    }

    /// Starts the program in a folder, and does not wait.
    ///
    /// - Parameter complaint: The file that is standard error; none where nil.
    static func begin(
        _ arguments: String..., in folder: ToolFolder, complaint: String? = nil
    ) throws -> ToolProcess {
        try begin(arguments, in: folder, complaint: complaint)
    }

    /// Starts the program in a folder, and does not wait.
    ///
    /// - Parameter complaint: The file that is standard error; none where nil.
    static func begin(
        _ arguments: [String], in folder: ToolFolder, complaint: String? = nil
    ) throws -> ToolProcess {
        if let complaint { try Data().write(to: URL(fileURLWithPath: complaint)) }
        return try ToolProcess(
            try #require(executable, "the howdah program is not built"), arguments, in: folder.path,
            environment: environment(), errors: complaint)
    }

    /// The variables of this process without those that name a database.
    private static func environment() -> [String: String] {
        let places = ["HOWDAH_DATABASE", "DATABASE_URL", "PGHOST", "PGHOSTADDR", "PGSERVICE", "PGDATABASE"]
        return ProcessInfo.processInfo.environment.filter { !places.contains($0.key) }
    }

    /// Runs the program in a folder and waits for its end.
    static func run(_ arguments: String..., in folder: ToolFolder) throws -> Outcome {
        try run(arguments, in: folder)
    }

    /// Runs the program in a folder and waits for its end.
    ///
    /// - Parameters:
    ///   - input: The file that is standard input; none where nil.
    ///   - place: What is written to instead of a file.
    ///   - device: The same by its path.
    ///   - name: Another program of the package.
    ///   - environment: The variables that name a database, of which it has no others.
    static func run(
        _ arguments: [String], in folder: ToolFolder, input: String? = nil, output place: FileHandle? = nil,
        device: String? = nil, program name: String = "howdah", environment: [String: String] = [:]
    ) throws -> Outcome {
        // Files, not pipes: a server that the program leaves behind must not be waited for.
        let (output, complaint) = (folder.path + "/.out-\(UUID())", folder.path + "/.err-\(UUID())")
        for file in [output, complaint] { try Data().write(to: URL(fileURLWithPath: file)) }
        let process = try ToolProcess(
            try #require(program(named: name), "the program is not built"), arguments, in: folder.path,
            environment: Self.environment().merging(environment) { $1 }, input: input,
            output: device ?? output, errors: complaint, place: place)
        return Outcome(
            status: process.waitForEnd() ?? -1, output: try String(contentsOfFile: output, encoding: .utf8),
            complaint: try String(contentsOfFile: complaint, encoding: .utf8))
    }
}
