import Foundation
import Testing

@testable import HowdahModel

@Suite struct StringRuleTests {
    @Test func foldingDropsCaseAndMarks() {
        let rows: [(String, PredicateTree.Options, String)] = [
            ("Straße", .caseInsensitive, "strasse"), ("ΣΑΣ", .caseInsensitive, "σασ"),
            ("σας", .caseInsensitive, "σασ"),
            ("İ", [.caseInsensitive, .diacriticInsensitive], "i"),
            ("Crème Brûlée", .diacriticInsensitive, "Creme Brulee"),
            ("Øł", [.caseInsensitive, .diacriticInsensitive], "ol"), ("ABC", .caseInsensitive, "abc"),
            ("ABC", [], "ABC"),
            ("ABC", [.caseInsensitive, .normalized], "ABC"), ("Å", .caseInsensitive, "å"),
            ("한글", .diacriticInsensitive, "한글"),
        ]
        for (text, options, folded) in rows {
            #expect(
                Array(Folding.folded(text, options).unicodeScalars) == Array(folded.unicodeScalars), "\(text)"
            )
        }
    }

    @Test func foldingTwiceChangesNothing() {
        let seed: UInt64 = 3
        var random = RandomPredicates(seed: seed)
        let options: [PredicateTree.Options] = [
            .caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive],
        ]
        for _ in 0..<20_000 {
            let scalars = (0..<4).compactMap { _ in
                Unicode.Scalar(UInt32.random(in: 0...0x2FFF, using: &random.generator))
            }
            let text = String(String.UnicodeScalarView(scalars)).howdahNormalized
            for option in options {
                let once = Folding.folded(text, option)
                #expect(
                    Folding.folded(once, option).utf8.elementsEqual(once.utf8), "seed \(seed): \(scalars)")
            }
        }
    }

    @Test func likeAgreesWithARecursiveDefinition() {
        func matches(_ text: ArraySlice<Character>, _ pattern: ArraySlice<Character>) -> Bool {
            switch pattern.first {
            case nil: text.isEmpty
            case "*":
                matches(text, pattern.dropFirst()) || (!text.isEmpty && matches(text.dropFirst(), pattern))
            case "?": !text.isEmpty && matches(text.dropFirst(), pattern.dropFirst())
            case let character: text.first == character && matches(text.dropFirst(), pattern.dropFirst())
            }
        }
        var random = RandomPredicates(seed: 5)
        for _ in 0..<20_000 {
            let text = (0..<Int.random(in: 0...6, using: &random.generator)).map { _ in
                random.pick(["a", "b"])
            }
            let pattern = (0..<Int.random(in: 0...6, using: &random.generator)).map { _ in
                random.pick(["a", "b", "*", "?"])
            }
            let (string, like) = (text.joined(), pattern.joined())
            #expect(
                string.isLike(like) == matches(Array(string)[...], Array(like)[...]), "\(string) LIKE \(like)"
            )
        }
        #expect("a*b".isLike("a\\*b") && !"axb".isLike("a\\*b") && "100%".isLike("100%") && "\\".isLike("\\"))
    }

    @Test func containsAgreesWithUnicodeScalars() {
        var random = RandomPredicates(seed: 6)
        for _ in 0..<20_000 {
            let (text, part) = (random.string(), random.pick(RandomPredicates.hostile + ["", "e", "1"]))
            let scalars = Array(text.unicodeScalars)
            let wanted = Array(part.unicodeScalars)
            let expected = wanted.isEmpty || scalars.indices.contains { scalars[$0...].starts(with: wanted) }
            #expect(text.containsBytes(of: part) == expected, "\(text) contains \(part)")
        }
    }

    static let wholeMatches: [(String, String, Bool)] = [
        ("a.c", "abc", true), ("a.c", "a\nc", false), ("^abc$", "abc", true), ("ab", "abc", false),
        ("a|bc", "bc", true),
        ("(a|b)+c", "abac", true), ("\\d{2,3}", "123", true), ("\\d{2,3}", "1234", false),
        ("\\d", "٣", false),
        ("[^a-c]x", "dx", true), ("[\\w-]+", "a_-", true), ("a\\.b", "a.b", true), ("a\\.b", "axb", false),
        ("(?:ab)*?", "abab", true), ("", "", true), (" x ", " x ", true), ("é+", "éé", true),
        ("a\n", "a\n", true),
    ]

    @Test(arguments: wholeMatches) func patterns(pattern: String, text: String, matches: Bool) throws {
        #expect(try PredicatePattern(pattern).matches(text) == matches)
    }

    @Test(arguments: [
        "(?i)a", "(?=a)", "(?<n>a)", "\\1", "\\b", "\\p{L}", "a**", "a*+", "*a", "[[:alpha:]]", "[a&&b]",
        "a{,3}", "a{300}",
        "a{3,1}", "(a", "a)", "[]", "[a", "a\\", "a^b", "a$b", "***:a", "{1}", "a]", "[z-a]",
        String(repeating: "(", count: 100_000),
    ]) func patternsOutsideOfTheSubset(pattern: String) {
        #expect(throws: PredicateTreeError.self) { try PredicatePattern(pattern) }
    }

    @Test func foldedPatterns() throws {
        #expect(
            try PredicatePattern("STRASSE", .caseInsensitive).matches(
                Folding.folded("Straße", .caseInsensitive)))
        #expect(try PredicatePattern("ß{2}", .caseInsensitive).matches("ssss"))
        #expect(try PredicatePattern("\\D[A-C]", .caseInsensitive).matches("xb"))
        #expect(throws: PredicateTreeError.self) { try PredicatePattern("[A-z]", .caseInsensitive) }
    }

    @Test func randomPatternsNeverTrap() {
        var random = RandomPredicates(seed: 8)
        let parts = [
            "a", "(", ")", "[", "]", "^", "$", "*", "+", "?", "{", "}", "1", ",", "\\", "d", "|", ".", "-",
            "&", "é",
        ]
        var accepted = 0
        for _ in 0..<20_000 {
            let pattern = (0..<Int.random(in: 0...8, using: &random.generator)).map { _ in random.pick(parts)
            }.joined()
            for options: PredicateTree.Options in [[], .caseInsensitive] {
                if let read = try? PredicatePattern(pattern, options) {
                    accepted += 1
                    _ = read.matches("aaé")
                }
            }
        }
        #expect(accepted > 1_000, "Too few random patterns are in the subset: \(accepted)")
    }
}
