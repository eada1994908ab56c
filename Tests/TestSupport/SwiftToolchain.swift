public import Foundation

/// The Swift compiler of this machine, with the modules and the macro plug-in that the running tests were built with.
public struct SwiftToolchain: Sendable {
    /// The end of a compiler.
    public struct Outcome: Sendable {
        /// A Boolean value that indicates whether the compiler ended with status 0.
        public let succeeded: Bool
        /// Everything that the compiler printed.
        public let output: String
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

    /// The folder of the modules and programs that were built with the running tests.
    public let buildFolder: URL
    let executable: URL

    /// The compiler on the search path; nil if there is none.
    public static let installed = executable(named: "swiftc")

    /// The executable of the macro plug-in.
    public var plugin: URL { buildFolder.appending(path: "HowdahMacros-tool") }

    /// Finds the modules beside the running tests.
    ///
    /// - Throws: `CocoaError` if they are not there.
    public init(_ executable: URL) throws {
        self.executable = executable
        guard let folder = Self.findBuildFolder() else {
            throw CocoaError(
                .fileNoSuchFile,
                userInfo: [NSFilePathErrorKey: "Modules/Howdah.swiftmodule above \(CommandLine.arguments)"])
        }
        // The compiler takes one module cache under two names for two.
        buildFolder = folder.resolvingSymlinksInPath()
    }

    /// Runs the compiler with `arguments` and those that importing the library needs.
    ///
    /// - Parameters:
    ///   - folder: the working folder.
    ///   - plugin: the executable that expands macros; the library's own unless given.
    public func run(_ arguments: [String], in folder: URL, plugin: URL? = nil) async throws -> Outcome {
        try await withCheckedThrowingContinuation { continuation in
            Self.queue.addOperation {
                continuation.resume(
                    with: Result { try start(executable, arguments + flags(plugin ?? self.plugin), folder) })
            }
        }
    }

    /// Runs a program of the toolchain, found beside the compiler, with `arguments` and nothing else.
    func run(program: String, _ arguments: [String], in folder: URL) async throws -> Outcome {
        let file = executable.deletingLastPathComponent().appending(path: program)
        return try await withCheckedThrowingContinuation { continuation in
            Self.queue.addOperation {
                continuation.resume(with: Result { try start(file, arguments, folder) })
            }
        }
    }

    private func flags(_ plugin: URL) -> [String] {
        [
            "-swift-version", "6", "-module-name", "Program",
            "-load-plugin-executable", plugin.path() + "#HowdahMacros",
            "-module-cache-path", buildFolder.appending(path: "ModuleCache").path(),
        ] + importFlags
    }

    /// What finds the modules.
    var importFlags: [String] {
        [
            "-I", buildFolder.appending(path: "Modules").path(),
            "-Xcc", "-fmodule-map-file=" + Self.sources.appending(path: "CLibPQ/module.modulemap").path(),
        ] + Self.headerFlags
    }

    private func start(_ program: URL, _ arguments: [String], _ folder: URL) throws -> Outcome {
        let log = folder.appending(path: "compiler.log")
        try Data().write(to: log)
        let process = Process()
        process.executableURL = program
        process.currentDirectoryURL = folder
        process.arguments = arguments
        let handle = try FileHandle(forWritingTo: log)
        process.standardOutput = handle
        process.standardError = handle
        process.standardInput = FileHandle.nullDevice
        try process.run()
        process.waitForEnd()
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

/// Runs `body` with a folder that is removed afterwards.
nonisolated(nonsending)
    public func withTemporaryFolder<T>(_ body: (URL) async throws -> T) async throws -> T
{
    let folder = FileManager.default.temporaryDirectory.appending(path: "howdah-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try await body(folder)
}
