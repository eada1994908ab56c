import Foundation
import SeededRandom
import Testing

@testable import HowdahModel

/// A format that is met again is not read again; its tree must be the same as if it was.
@Suite struct PredicateTemplateTests {
    private static func outcome(
        _ body: () throws(PredicateTreeError) -> PredicateTree
    ) -> Result<PredicateTree, PredicateTreeError> {
        do {
            return .success(try body())
        } catch {
            return .failure(error)
        }
    }

    /// Compares the tree of each call with the parser's.
    private func check(_ format: String, _ arguments: [(any Sendable)?], _ note: String = "") throws {
        let parsed = Self.outcome { () throws(PredicateTreeError) in
            try PredicateTree(parsing: format, arguments)
        }
        for _ in 0..<4 {
            let found = Self.outcome { () throws(PredicateTreeError) in
                try PredicateTree(format: format, arguments: arguments)
            }
            switch (parsed, found) {
            case (.success(let parsed), .success(let found)):
                try #require(parsed == found, "\(note) \(format): \(parsed) is \(found)")
                #expect(parsed.depth == found.depth && parsed.terms == found.terms, "\(note) \(format)")
            case (.failure(let parsed), .failure(let found)):
                #expect(parsed == found, "\(note) \(format)")
            default: Issue.record("\(note) \(format) \(arguments): \(parsed) is \(found)")
            }
        }
    }

    private struct Source {
        var generator: SeededGenerator

        mutating func pick<T>(_ choices: [T]) -> T {
            choices[Int.random(in: 0..<choices.count, using: &generator)]
        }

        mutating func argument() -> (any Sendable)? {
            let arguments: [(any Sendable)?] = [
                nil, 1, -7, Int64.max, UInt64.max, Int8(3), 1.5, Float(0.25), Double.infinity, true, "Ada",
                "e\u{301}", "a.b", "", "SELF", Decimal(5), Date(timeIntervalSince1970: 1.25), UUID(),
                Data([1]), URL(string: "https://a.example"), [1, 2], ["x", "y"], [1.5, 2.5], [Int](),
                Set([4]),
                [nil, 1] as [Int?], [[1]], ["k": 1], String?.some("o"), Int?.none, "b" as Substring,
                ObjectIdentifier(NSObject.self),
            ]
            return pick(arguments)
        }

        mutating func format() -> String {
            let term = [
                "a == %@", "a != %@", "%@ == a", "a < %d", "a > %f", "%K == %@", "a.%K IN %@", "a IN %@",
                "a IN {%@, %@}",
                "a BETWEEN %@", "a BETWEEN {%d, %d}", "a IN {%@, b}", "ANY a.b == %@", "NONE a IN %@",
                "ANY %@ == a",
                "a LIKE[cd] %@", "a MATCHES %@", "a == (%@)", "a + %d > 3", "a == -%d",
                "CAST(%@, 'NSDate') < b",
                "SUBQUERY(a, $x, $x.b == %@).@count > %d", "a[%d] == 1", "a == 'literal'", "a == $v",
                "$v IN %@",
                "lowercase:(%@) == a", "TERNARY(a == %@, 1, 2) == 1", "a CONTAINS %@", "%@ CONTAINS a",
                "%@ IN a",
                "a == %@ + 1", "NOT a == %@", "TRUEPREDICATE", "a == nil", "a IN {1, 2}", "%@.b == 1",
                "a == %d",
                "bitwiseAnd:with:(a, %d) == %d", "%@ == %@", "a BEGINSWITH[n] %@", "a == %u", "a == %lld",
            ]
            let count = Int.random(in: 1...3, using: &generator)
            return (0..<count).map { _ in pick(term) }.joined(separator: pick([" AND ", " OR ", " && "]))
        }
    }

    @Test("A format that is met again gives the parser's tree or its error")
    func sameAsParser() throws {
        let seed: UInt64 = 20_261_130
        var source = Source(generator: SeededGenerator(seed: seed))
        for round in 0..<3_000 {
            let format = source.format()
            let count = (try? PredicatePlaceholder.all(in: format).count) ?? 0
            // Mostly the right number; then the same format with other arguments.
            let wanted = Int.random(in: 0..<30, using: &source.generator) == 0 ? count + 1 : count
            for _ in 0..<3 {
                let arguments = (0..<wanted).map { _ in source.argument() }
                try check(format, arguments, "seed \(seed), round \(round):")
            }
        }
    }

    @Test("A key path is a part of the format", arguments: ["name", "owner.name", "SELF", "a b", ""])
    func keyPaths(_ key: String) throws {
        for other in ["name", "age", "name"] { try check("%K == %@", [other, "x"]) }
        try check("%K == %@", [key, "x"])
        try check("%K == %@", [key, "y"])
    }

    @Test("Formats that differ only in the form of a letter mean the same")
    func composedLetters() throws {
        for format in ["gr\u{F6}\u{DF}e == '\u{E9}'", "gro\u{308}\u{DF}e == 'e\u{301}'"] {
            try check(format, [])
        }
    }

    @Test("What a template is made of cannot be changed by a variable of that name")
    func variables() throws {
        for name in ["0", "1", "argument1"] { try check("a == $\(name) AND b == %@", [3]) }
        let tree = try PredicateTree(format: "a == $b AND c == %@", arguments: [3])
        #expect(tree.variables == ["b"])
    }

    @Test("Many formats leave no more than the limit, and all give their trees")
    func manyFormats() throws {
        for number in 0..<(PredicateTemplates.limit * 2 + 10) {
            try check("number == \(number) AND name == %@", ["x"])
        }
        let templates = PredicateTemplates()
        for number in 0..<(PredicateTemplates.limit * 3) {
            templates.note("a == \(number)", [])
            #expect(templates.count <= PredicateTemplates.limit)
        }
        // Met once, and too long: no template.
        #expect(templates.tree(of: "a == 3", []) == nil)
        let long = "a == '\(String(repeating: "x", count: PredicateTemplates.formatBytes))'"
        for _ in 0..<3 { templates.note(long, []) }
        #expect(templates.tree(of: long, []) == nil)
        for _ in 0..<2 { templates.note("b == %@", [1]) }
        #expect(templates.tree(of: "b == %@", [2]) == PredicateTree.format("b == 2"))
    }

    @Test("Threads that meet a format at the same time get its trees")
    func threads() async throws {
        await withTaskGroup(of: Bool.self) { group in
            for thread in 0..<8 {
                group.addTask {
                    (0..<500).allSatisfy { step in
                        let format = "thread == \(step % 7) AND a == %d AND b IN %@"
                        return PredicateTree.format(format, step, [thread])
                            == PredicateTree.format(
                                "thread == \(step % 7) AND a == \(step) AND b IN {\(thread)}")
                    }
                }
            }
            for await isRight in group { #expect(isRight) }
        }
    }
}
