import HowdahModel
import TestSupport
import Testing

@testable import HowdahSampleData

/// Texts that are made from a pattern match it.
@Suite struct PatternTextTests {
    @Test(arguments: [
        "", "abc", "a|bc|", "[A-Z]{1,3}-\\d{2,} [^a-z]", "(?:x|y(z|w)+)*", "\\w+@[^@\\s]+\\.(org|com)",
        ".{3}",
        "[\\d\\-_.]+?", "\\(\\[\\]\\)\\\\", "^[-+]?\\d*\\.?\\d+$", "[\\]\\^]", "é{2}[à-ü]", "\\s\\S\\D\\W",
        "a{0}b{1,}", "[^\\w]",
    ]) func matches(_ text: String) throws {
        let pattern = try PredicatePattern(text)
        let grammar = try #require(PatternGrammar(pattern.text), "\(pattern.text)")
        var random = SplitMix64(seed: 1)
        for longest in [0, 1, 8, 8, 8, 30] {
            let made = grammar.text(&random, longest: longest)
            #expect(pattern.matches(made), "\(made)")
        }
    }
}
