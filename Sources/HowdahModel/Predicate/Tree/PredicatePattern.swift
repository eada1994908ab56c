/// A regular expression of MATCHES, in the subset that ICU and PostgreSQL read alike.
///
/// Literals, `.`, classes, groups, alternatives, `* + ? {n,m}` (lazy forms too) and the escapes `\d \w \s` (of
/// ASCII, as in a "C" collation). `^` and `$` are allowed where they say nothing, at the ends. Line
/// breaks are not matched by `.`. Everything else is refused by name. A match takes time proportional to the length
/// of the text.
package struct PredicatePattern: Sendable {
    private let matcher: PatternMatcher
    /// The pattern in a form that means the same in both engines, without the anchors of a whole match.
    package let text: String

    /// Reads `pattern`; its literals are folded as `options` say.
    ///
    /// - Throws: `unsupported` for constructs outside of the subset, and for patterns that repeat too much.
    package init(_ pattern: String, _ options: PredicateTree.Options = []) throws(PredicateTreeError) {
        text = try Self.portableText(of: pattern, options)
        guard let root = PatternNode(portable: text), let matcher = PatternMatcher(root) else {
            throw PredicateTreeError(
                .unsupported,
                "The pattern of MATCHES takes more than \(PatternProgram.limit) states in memory. Write a "
                    + "shorter pattern, or several patterns joined by OR.", token: pattern)
        }
        self.matcher = matcher
    }

    /// Reads `pattern` for the database, which has its own limits for repetitions.
    ///
    /// - Throws: `unsupported` for constructs outside of the subset.
    package static func portableText(
        of pattern: String, _ options: PredicateTree.Options = []
    ) throws(PredicateTreeError) -> String {
        var reader = PredicatePatternReader(pattern, options)
        return try reader.read()
    }

    /// Indicates whether the whole of `string`, folded by the caller, matches.
    package func matches(_ string: String) -> Bool { matcher.matches(string) }
}
