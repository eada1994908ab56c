import Foundation

/// The Swift compiler of this machine, set up for the modules that these tests were built with.
struct SwiftCompiler: Sendable {
    /// Nil where there is no `swiftc` on the search path.
    static let installed = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        .map { URL(filePath: String($0)).appending(path: "swiftc") }
        .first { FileManager.default.isExecutableFile(atPath: $0.path()) }

    private static let repository = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Compilers are processes of half a gigabyte; more than two at once would crowd out other tests.
    private static let queue: OperationQueue = {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 2
        return queue
    }()

    let executable: URL
    let buildFolder: URL

    /// - Throws: `CocoaError` where the modules cannot be found above the running tests.
    init(_ executable: URL) throws {
        var folder = URL(
            filePath: CommandLine.arguments.first { $0.contains(".xctest") } ?? CommandLine.arguments[0])
        while !FileManager.default.fileExists(
            atPath: folder.appending(path: "Modules/Howdah.swiftmodule").path())
        {
            guard folder.pathComponents.count > 1 else { throw CocoaError(.fileNoSuchFile) }
            folder.deleteLastPathComponent()
        }
        (self.executable, buildFolder) = (executable, folder)
    }

    /// What the compiler says of a module of these files; nothing where all is well.
    func check(_ files: [String: String], _ flags: [String]) async throws -> String {
        try await withCheckedThrowingContinuation { continuation in
            Self.queue.addOperation { continuation.resume(with: Result { try run(files, flags) }) }
        }
    }

    private func run(_ files: [String: String], _ flags: [String]) throws -> String {
        let folder = FileManager.default.temporaryDirectory.appending(path: "howdah-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, text) in files {
            try Data(text.utf8).write(to: folder.appending(path: name))
        }
        let log = folder.appending(path: "log")
        try Data().write(to: log)
        let process = Process()
        process.executableURL = executable
        process.currentDirectoryURL = folder
        process.arguments =
            [
                "-swift-version", "6", "-warnings-as-errors", "-parse-as-library",
                "-module-name", "Program",
                "-I", buildFolder.appending(path: "Modules").path(),
                "-Xcc",
                "-fmodule-map-file="
                    + Self.repository.appending(path: "Sources/CLibPQ/module.modulemap").path(),
                "-module-cache-path", buildFolder.appending(path: "ModuleCache").path(),
            ] + Self.headerFlags + (flags.contains("-emit-object") ? [] : ["-typecheck"]) + flags
            + files.keys.sorted()
        let handle = try FileHandle(forWritingTo: log)
        process.standardOutput = handle
        process.standardError = handle
        process.standardInput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        try handle.close()
        let output = try String(contentsOf: log, encoding: .utf8)
        return process.terminationStatus == 0 || !output.isEmpty
            ? output : "it ended with \(process.terminationStatus)"
    }

    /// Where libpq's header may lie; the package manager has its own ways to find it.
    private static let headerFlags = [
        "/usr/include/postgresql", "/usr/include/pgsql", "/opt/homebrew/opt/libpq/include",
        "/usr/local/opt/libpq/include",
    ].filter { FileManager.default.fileExists(atPath: "\($0)/libpq-fe.h") }.flatMap { ["-Xcc", "-I\($0)"] }
}
