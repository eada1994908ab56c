import Foundation
import Testing

/// Inside the runtime, folders know only the folders before them; this reads the sources and says who does not.
@Suite struct LayerTests {
    private static let order = [
        "Snapshot", "Object", "KeyValue", "Context", "Fetch", "Save", "Container", "Graph",
    ]
    /// Save and Fetch stand side by side: neither names the other.
    private static let sideBySide: [Set<String>] = [["Fetch", "Save"]]
    /// Errors are thrown from below and caught from everywhere.
    private static let free = ["SaveError", "FetchError", "StoreError"]

    private var sources: URL {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Sources/HowdahRuntime")
    }

    @Test func noFolderNamesATypeOfALaterOne() throws {
        var declared: [String: Set<String>] = [:]
        var words: [String: [(file: String, words: Set<String>)]] = [:]
        for folder in Self.order {
            let paths = try FileManager.default.subpathsOfDirectory(
                atPath: sources.appending(path: folder).path(percentEncoded: false))
            let files = paths.map { sources.appending(path: folder).appending(path: $0) }
            for file in files where file.pathExtension == "swift" {
                let code = try code(of: file)
                declared[folder, default: []].formUnion(names(declaredIn: code))
                words[folder, default: []].append((file.lastPathComponent, allWords(of: code)))
            }
        }
        #expect(declared.values.reduce(0) { $0 + $1.count } > 50, "the sources were not found")
        var violations: [String] = []
        for (place, folder) in Self.order.enumerated() {
            for later in Self.order[(place + 1)...] + Self.besides(folder) {
                let names = (declared[later] ?? []).subtracting(Self.free).subtracting(declared[folder] ?? [])
                for (file, used) in words[folder] ?? [] {
                    for name in used.intersection(names).sorted() {
                        violations.append("\(folder)/\(file) names \(name) of \(later)")
                    }
                }
            }
        }
        #expect(violations == [])
    }

    private static func besides(_ folder: String) -> [String] {
        sideBySide.first { $0.contains(folder) }.map { Array($0.subtracting([folder])) } ?? []
    }

    /// A file's text without comments and string literals.
    private func code(of file: URL) throws -> String {
        try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map { line in
            var line = String(line)
            if let comment = line.range(of: "//") { line.removeSubrange(comment.lowerBound...) }
            return line.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
                .filter { $0.offset % 2 == 0 }.map(\.element).joined(separator: " ")
        }.joined(separator: "\n")
    }

    private func names(declaredIn code: String) -> Set<String> {
        Set(
            code.matches(
                of:
                    /(?m)^(?:public |package |final |nonisolated |open |indirect )*(?:class|struct|enum|protocol|actor) (\w+)/
            )
            .map { String($0.1) })
    }

    private func allWords(of code: String) -> Set<String> {
        Set(code.matches(of: /\w+/).map { String($0.0) })
    }
}
