import Foundation

extension SwiftToolchain {
    /// The names of the public members of some types of a module, without their parameters; nil if the toolchain has no
    /// program that tells.
    ///
    /// - Throws: `CocoaError` if the module's symbols cannot be read.
    public func publicMembers(of types: Set<String>, in module: String) async throws -> Set<String>? {
        try await onThread { try members(of: types, in: module) }
    }

    private func members(of types: Set<String>, in module: String) throws -> Set<String>? {
        guard let tool = try extractor() else { return nil }
        let folder = FileManager.default.temporaryDirectory.appending(path: "howdah-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let target = try Self.output(
            of: executable, ["-print-target-info"], matching: /"unversionedTriple": "([^"]*)"/)
        let process = Process()
        process.executableURL = tool
        process.arguments =
            [
                "-module-name", module, "-target", target, "-minimum-access-level", "public", "-output-dir",
                folder.path(),
            ] + importFlags
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitForEnd()
        let graph = try JSONDecoder().decode(
            SymbolGraph.self, from: Data(contentsOf: folder.appending(path: "\(module).symbols.json")))
        let names = graph.symbols.filter {
            $0.pathComponents.count == 2 && types.contains($0.pathComponents[0])
        }
        .map { $0.pathComponents[1].prefix { $0 != "(" } }
        return Set(names.map(String.init))
    }

    private func extractor() throws -> URL? {
        let resources = try Self.output(
            of: executable, ["-print-target-info"], matching: /"runtimeResourcePath": "([^"]*)"/)
        let tool = URL(filePath: resources).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "bin/swift-symbolgraph-extract")
        return FileManager.default.isExecutableFile(atPath: tool.path()) ? tool : nil
    }

    private static func output(
        of program: URL, _ arguments: [String], matching pattern: Regex<(Substring, Substring)>
    ) throws -> String {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = program
        process.arguments = arguments
        process.standardOutput = pipe
        try process.run()
        let text = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitForEnd()
        return text.firstMatch(of: pattern).map { String($0.output.1) } ?? ""
    }
}

private struct SymbolGraph: Decodable {
    struct Symbol: Decodable {
        let pathComponents: [String]
    }

    let symbols: [Symbol]
}
