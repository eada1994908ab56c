import Foundation

/// The Swift compiler of this machine, set up to compile against the modules this test was built with.
struct Compiler: Sendable {
    /// What a compilation said, and whether it made an object file.
    struct Outcome: Sendable {
        let succeeded: Bool
        let output: String

        /// The messages of one kind, each once: the compiler repeats them in its drawing of the source.
        func messages(_ kind: String) -> [String] {
            output.split(separator: "\n").filter {
                !$0.drop { $0 == " " }.hasPrefix("|") && $0.contains(" \(kind): ")
            }
            .map(String.init)
        }
    }

    /// Compilers are processes of half a gigabyte; more than two at once would crowd out other tests.
    private static let queue: OperationQueue = {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 2
        return queue
    }()

    private static let sources = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().appending(
            path: "Sources")

    private let executable: URL
    private let buildFolder: URL

    /// Nil where there is no `swiftc` on the search path.
    static let installed = executable(named: "swiftc")

    /// - Throws: `CocoaError` where the modules cannot be found beside the running tests.
    init(_ executable: URL) throws {
        self.executable = executable
        guard let folder = Self.findBuildFolder() else {
            throw CocoaError(
                .fileNoSuchFile,
                userInfo: [NSFilePathErrorKey: "Modules/Howdah.swiftmodule above \(CommandLine.arguments)"])
        }
        buildFolder = folder
    }

    /// Compiles a program to an object file: type checking alone misses the errors about regions.
    func compile(_ program: Program, _ flags: [String]) async throws -> Outcome {
        try await withCheckedThrowingContinuation { continuation in
            Self.queue.addOperation { continuation.resume(with: Result { try run(program, flags) }) }
        }
    }

    private func run(_ program: Program, _ flags: [String]) throws -> Outcome {
        let folder = FileManager.default.temporaryDirectory.appending(path: "howdah-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let log = folder.appending(path: "log")
        try Data().write(to: log)
        let process = Process()
        process.executableURL = executable
        process.arguments =
            [
                "-emit-object", "-whole-module-optimization", "-swift-version", "6", "-module-name",
                "Program",
                "-I", buildFolder.appending(path: "Modules").path(),
                "-Xcc", "-fmodule-map-file=" + Self.sources.appending(path: "CLibPQ/module.modulemap").path(),
                "-load-plugin-executable",
                buildFolder.appending(path: "HowdahMacros-tool").path() + "#HowdahMacros",
                "-module-cache-path", buildFolder.appending(path: "ModuleCache").path(),
                "-o", folder.appending(path: "program.o").path(),
                Program.folder.appending(path: "Shared/Person.swift").path(), program.file.path(),
            ] + Self.headerFlags + program.flags + flags
        let handle = try FileHandle(forWritingTo: log)
        process.standardOutput = handle
        process.standardError = handle
        process.standardInput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        try handle.close()
        return Outcome(
            succeeded: process.terminationStatus == 0, output: try String(contentsOf: log, encoding: .utf8))
    }

    /// Where libpq's header may lie; the package manager has its own ways to find it.
    private static let headerFlags = [
        "/usr/include/postgresql", "/usr/include/pgsql", "/opt/homebrew/opt/libpq/include",
        "/usr/local/opt/libpq/include",
    ].filter { FileManager.default.fileExists(atPath: "\($0)/libpq-fe.h") }.flatMap { ["-Xcc", "-I\($0)"] }

    private static func executable(named name: String) -> URL? {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
            .map { URL(filePath: String($0)).appending(path: name) }
            .first { FileManager.default.isExecutableFile(atPath: $0.path()) }
    }

    private static func findBuildFolder() -> URL? {
        let starts = CommandLine.arguments.map { URL(filePath: $0) } + Bundle.allBundles.map(\.bundleURL)
        for start in starts {
            var folder = start
            while folder.pathComponents.count > 1 {
                folder.deleteLastPathComponent()
                let module = folder.appending(path: "Modules/Howdah.swiftmodule")
                if FileManager.default.fileExists(atPath: module.path()) { return folder }
            }
        }
        return nil
    }
}
