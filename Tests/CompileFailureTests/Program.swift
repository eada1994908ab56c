import Foundation
import Testing

/// One small program of the folder `Programs`, with what its first lines say about compiling it.
struct Program: CustomTestStringConvertible {
    let file: URL
    /// What every error must contain one of; empty where the program must compile.
    let expectations: [String]
    /// Compiler flags that the program asks for.
    let flags: [String]

    var testDescription: String { file.deletingPathExtension().lastPathComponent }

    static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Programs")

    /// The programs of a group, by name.
    static func all(_ group: String) -> [Program] {
        let files = try? FileManager.default.contentsOfDirectory(
            at: folder.appending(path: group), includingPropertiesForKeys: nil)
        return (files ?? []).filter { $0.pathExtension == "swift" }
            .sorted { $0.path() < $1.path() }
            .compactMap { try? Program($0) }
    }

    init(_ file: URL) throws {
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        func values(of key: String) -> [String] {
            lines.filter { $0.hasPrefix("// \(key): ") }.map { String($0.dropFirst(key.count + 5)) }
        }
        self.file = file
        expectations = values(of: "expect").filter { $0 != "nothing" }
        flags = values(of: "flags").flatMap { $0.split(separator: " ").map(String.init) }
    }
}
