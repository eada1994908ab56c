import Foundation
import TestSupport
import Testing

/// The pages on the life of a fetch and of a save name the stages that the spines go through, in the same order.
@Suite struct SpineTests {
    private static let runtime = Repository.root.appending(path: "Sources/HowdahRuntime")

    @Test(arguments: [
        ("life-of-a-fetch", ["Fetch/FetchPipeline", "Fetch/StoreFetch"], 9),
        ("life-of-a-save", ["Save/SavePipeline"], 8),
    ]) func pagesFollowTheSpines(_ page: String, _ spines: [String], _ count: Int) throws {
        let text = try String(
            contentsOf: Repository.root.appending(path: "docs/\(page).md"), encoding: .utf8)
        let rows = text.matches(of: /(?m)^\| (\d) \| \*\*(\w+)\*\* \|/).map { Stage($0.1, $0.2) }
        #expect(rows.map(\.number) == Array(1...count))
        var stages: [Stage] = []
        for spine in spines {
            let source = try String(
                contentsOf: Self.runtime.appending(path: "\(spine).swift"), encoding: .utf8)
            stages += try Self.stages(of: source)
            #expect(source.split(separator: "\n").count < 120, "\(spine) is longer than a spine")
        }
        #expect(stages.sorted { $0.number < $1.number } == rows)
    }

    /// The control: a stage that is not called, or called out of its place, is found.
    @Test func aStageThatIsNotCalledIsFound() throws {
        let spine =
            "    func run() {\n        // 1 Freeze: all.\n        freeze()\n        // 2 Plan: it.\n        plan()\n    }\n"
        #expect(try Self.stages(of: spine) == [Stage("1", "Freeze"), Stage("2", "Plan")])
        #expect(throws: Uncalled.self) {
            try Self.stages(of: spine.replacing("        plan()\n", with: ""))
        }
        #expect(throws: Uncalled.self) {
            try Self.stages(of: spine.replacing("freeze()", with: "plan()"))
        }
    }

    private struct Stage: Equatable {
        let number: Int
        let name: String

        init(_ number: Substring, _ name: Substring) {
            self.number = Int(number) ?? 0
            self.name = String(name)
        }
    }

    private struct Uncalled: Error {
        let stage: String
    }

    /// The stages in the comments of `run`, each of which must be called behind its comment.
    private static func stages(of source: String) throws -> [Stage] {
        let parts = source.split(separator: /(?=\/\/ \d [A-Z]\w+[:, ])/).dropFirst()
        return try parts.flatMap { part -> [Stage] in
            let lines = part.split(separator: "\n", maxSplits: 1)
            guard let heading = lines.first, let first = heading.firstMatch(of: /\/\/ (\d) ([A-Z]\w+)/) else {
                return []
            }
            let code = lines.count > 1 ? String(lines[1].prefix { $0 != "}" }) : ""
            // What is the backing's is listed by the backing's own spine.
            if code.contains("backing.") { return [] }
            guard code.contains("\(first.2.lowercased())(") else { throw Uncalled(stage: "\(first.2)") }
            return [Stage(first.1, first.2)]
        }
    }
}
