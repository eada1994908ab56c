/// The regular expression that the whole text of an attribute must match.
///
/// If it is in the subset that ICU and PostgreSQL read alike, it is also a CHECK. Any other pattern is ICU's,
/// and is checked in memory only.
package struct ValidationPattern: Sendable {
    private enum Engine: Sendable {
        case linear(PatternMatcher)
        case bounded(BoundedExpression)
    }

    private let engine: Engine

    /// The pattern in PostgreSQL's form, without anchors; nil outside the subset.
    package let sharedText: String?

    /// Creates a pattern from a regular expression.
    ///
    /// - Throws: `PredicateTreeError` if the text is not a regular expression.
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

    /// Returns true if the whole of `text` matches.
    ///
    /// - Throws: `PatternBudgetExceeded` if the pattern is outside the subset and takes too long for this
    ///   text.
    package func matches(_ text: String) throws(PatternBudgetExceeded) -> Bool {
        switch engine {
        case .linear(let matcher): matcher.matches(text)
        case .bounded(let expression): try expression.matches(text)
        }
    }
}
