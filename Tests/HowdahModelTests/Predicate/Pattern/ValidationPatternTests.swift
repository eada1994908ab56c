import Testing

@testable import HowdahModel

/// Patterns outside of the subset are ICU's, and end with an error if they take too long.
@Suite struct ValidationPatternTests {
    private static let hostile = String(repeating: "x", count: 10_000)

    @Test(
        "A match that takes exponential time ends with an error",
        arguments: [
            "(x+x+)+\\1y", "(?=(x+x+)+y)x*", "(?>(x+x+)+y)", "(?<n>x+x+)+y", "(x+x+)+y|(?=x)x*",
            "(.*)(.*)(.*)\\3\\2\\1z", "(?:(?:(?:(?:(?=x)){1000}){1000}){1000}){1000}x*", "(?i)(\\p{L}+)+!",
        ])
    func exponentialTime(regex: String) throws {
        let pattern = try ValidationPattern(regex)
        #expect(pattern.sharedText == nil)
        let start = PatternMatcherTests.processorTime
        #expect(throws: PatternBudgetExceeded.self) { try pattern.matches(Self.hostile) }
        #expect(PatternMatcherTests.processorTime - start < .seconds(5))
        // The same expression is usable again.
        #expect(throws: Never.self) { try pattern.matches("ab") }
    }

    @Test("A match that outgrows ICU's stack ends with an error")
    func stack() throws {
        let pattern = try ValidationPattern("(?i)(x|y)*")
        #expect(throws: PatternBudgetExceeded.self) {
            try pattern.matches(String(repeating: "x", count: 3_000_000))
        }
        #expect(try pattern.matches(String(repeating: "X", count: 100_000)))
    }

    @Test("A pattern of the subset is never given up")
    func subset() throws {
        let pattern = try ValidationPattern("(x+x+)+y")
        #expect(pattern.sharedText == "(?:x+x+)+y")
        #expect(try !pattern.matches(Self.hostile) && pattern.matches(Self.hostile + "y"))
    }

    @Test("A pattern too large for memory is still a CHECK, and bounded in memory")
    func tooLarge() throws {
        let pattern = try ValidationPattern("(a{255}){100}")
        #expect(pattern.sharedText == "(?:a{255}){100}")
        #expect(try pattern.matches(String(repeating: "a", count: 25_500)))
        #expect(try !pattern.matches("a"))
    }

    @Test("Ordinary expressions outside of the subset match as before")
    func ordinary() throws {
        let rows = [
            ("(?i)straße", "STRAßE", true), ("(?i)abc", "ABC", true), ("\\p{L}+", "größe", true),
            ("(a|b)\\1", "aa", true), ("(a|b)\\1", "ab", false), ("(?=.*\\d)[a-z0-9]{4,}", "abc1", true),
            ("(?=.*\\d)[a-z0-9]{4,}", "abcd", false), ("\\p{L}", "ab", false), ("\\p{L}*", "", true),
            ("\\p{L}$", "a\n", false),
        ]
        for (regex, text, isMatch) in rows {
            #expect(try ValidationPattern(regex).matches(text) == isMatch, "\(regex) on \(text)")
        }
    }

    @Test("An expression that only the wrapping would balance is refused")
    func unbalanced() {
        #expect(throws: PredicateTreeError.self) { try ValidationPattern("\\p{L})|(?:b") }
    }
}
