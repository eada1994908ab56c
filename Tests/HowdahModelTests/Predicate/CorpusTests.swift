import Foundation
import Testing

@testable import HowdahModel

/// Formats that published applications use; the file lies beside the repository and is no part of it.
@Suite struct CorpusTests {
    static let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../../shared/corpus/predicates.tsv").standardizedFileURL

    static var isPresent: Bool { FileManager.default.fileExists(atPath: file.path) }

    @Test(.enabled(if: isPresent, "shared/corpus/predicates.tsv is not beside this repository"))
    func everyFormatParsesOrNamesAnUnsupportedConstruct() throws {
        let lines = try String(contentsOf: Self.file, encoding: .utf8).split(separator: "\n").dropFirst()
        var parsed = 0
        var unsupported: [String] = []
        for line in lines {
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
            var format = String(try #require(fields.count > 2 ? fields[2] : nil))
            if format.hasPrefix("\""), format.hasSuffix("\"") {
                format = String(format.dropFirst().dropLast()).replacingOccurrences(of: "\"\"", with: "\"")
            }
            let error = PredicateTree.formatError(format, Self.arguments(for: format))
            if let error {
                #expect(error.code == .unsupported, "\(format): \(error)")
                unsupported.append("\(format): \(error.message)")
            } else {
                parsed += 1
                let tree = try PredicateTree(format: format, arguments: Self.arguments(for: format))
                #expect(PredicateTree.format(tree.description) == tree, "\(format)")
                #expect(try PredicateTree(parts: tree) == tree, "\(format)")
                let data = try JSONEncoder().encode([tree])
                #expect(try JSONDecoder().decode([PredicateTree].self, from: data) == [tree], "\(format)")
            }
        }
        print("corpus: \(parsed) of \(lines.count) formats parse, \(unsupported.count) are unsupported:")
        for entry in unsupported { print("  \(entry)") }
        #expect(parsed >= 386, "Fewer formats parse than before.")
    }

    /// Arguments of the type that each placeholder asks for.
    private static func arguments(for format: String) -> [(any Sendable)?] {
        var arguments: [(any Sendable)?] = []
        var rest = format[...]
        while let percent = rest.firstIndex(of: "%") {
            let before = format[..<percent].uppercased()
            rest = rest[rest.index(after: percent)...].drop { "hlqz".contains($0) }
            switch rest.first {
            case "@":
                let isPair = before.hasSuffix("BETWEEN ")
                let isList = before.hasSuffix("IN ") || before.hasSuffix("IN (") || before.hasSuffix("IN[N] ")
                arguments.append(isPair ? [1, 2] : isList ? ["x"] : "x")
            case "K": arguments.append("key")
            case "d", "u", "i": arguments.append(1)
            case "f", "a": arguments.append(1.5)
            default: break
            }
        }
        return arguments
    }
}
