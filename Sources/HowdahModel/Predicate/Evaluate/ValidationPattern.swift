/// The regular expression that an attribute's whole text has to match.
///
/// One of the subset that ICU and PostgreSQL read alike is also a CHECK; any other one is ICU's and checked in memory
/// only.
package struct ValidationPattern: Sendable {
    private enum Engine: Sendable {
        case linear(PatternMatcher)
        case bounded(BoundedExpression)
    }

    private let engine: Engine

    /// The pattern as PostgreSQL reads it, without anchors; nil outside of the subset.
    package let sharedText: String?

    /// Reads a regular expression.
    ///
    /// - Throws: `PredicateTreeError` if it is none.
    package init(_ regex: String) throws(PredicateTreeError) {
        let regex = regex.howdahNormalized
        // Outside of the subset, or no regular expression at all: ICU knows which.
        sharedText = try? PredicatePattern.portableText(of: regex)
        if let matcher = sharedText.flatMap(PatternNode.init(portable:)).flatMap(PatternMatcher.init) {
            engine = .linear(matcher)
            return
        }
        do {
            engine = .bounded(try BoundedExpression(sharedText ?? regex))
        } catch {
            throw PredicateTreeError(
                .syntax,
                "The pattern is not a valid regular expression. Correct the "
                    + "pattern.")
        }
    }

    /// Indicates whether the whole of `text` matches.
    ///
    /// - Throws: If the pattern is outside of the subset and takes too long against this text.
    package func matches(_ text: String) throws(PatternBudgetExceeded) -> Bool {
        switch engine {
        case .linear(let matcher): matcher.matches(text)
        case .bounded(let expression): try expression.matches(text)
        }
    }
}
