/// A regular expression of MATCHES, in the subset that ICU and PostgreSQL read alike.
///
/// The subset has literals, `.`, classes, groups, alternatives, `* + ? {n,m}` (lazy forms too) and the
/// escapes `\d \w \s`. Those mean ASCII, as in a "C" collation. `^` and `$` are allowed at the ends, which
/// they do not change. `.` does not match line breaks. All other constructs are refused by name. A match
/// takes time proportional to the length of the text.
package struct PredicatePattern: Sendable {
    private let matcher: PatternMatcher
    /// The pattern in a form with the same meaning in both engines, without the anchors of a whole match.
    package let text: String

    /// Creates a pattern whose literals are folded according to `options`.
    ///
    /// - Throws: `unsupported` for constructs outside the subset, and for patterns that repeat too much.
    package init(_ pattern: String, _ options: PredicateTree.Options = []) throws(PredicateTreeError) {
        text = try Self.portableText(of: pattern, options)
        guard let root = PatternNode(portable: text), let matcher = PatternMatcher(root) else {
            throw PredicateTreeError(
                .unsupported,
                "The pattern of MATCHES is too complex, with more than \(PatternProgram.limit) states. Write a "
                    + "shorter pattern, or several patterns joined by OR.", token: pattern)
        }
        self.matcher = matcher
    }

    /// Returns a pattern for the database, which has its own limits for repetitions.
    ///
    /// - Throws: `unsupported` for constructs outside the subset.
    package static func portableText(
        of pattern: String, _ options: PredicateTree.Options = []
    ) throws(PredicateTreeError) -> String {
        var reader = PredicatePatternReader(pattern, options)
        return try reader.read()
    }

    /// Returns true if the whole of `string`, folded by the caller, matches.
    package func matches(_ string: String) -> Bool { matcher.matches(string) }
}
