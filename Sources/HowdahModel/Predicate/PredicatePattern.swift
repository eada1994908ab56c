import Foundation

/// A regular expression of MATCHES, in the subset that ICU and PostgreSQL read alike.
///
/// Literals, `.`, classes, groups, alternatives, `* + ? {n,m}` (lazy forms too) and the escapes `\d \w \s` (of
/// ASCII, as in a "C" collation). `^` and `$` are allowed where they say nothing, at the ends. Line
/// breaks are not matched by `.`. Everything else is refused by name.
package struct PredicatePattern: Sendable {
    private let expression: NSRegularExpression
    /// The pattern in a form that means the same in both engines, without the anchors of a whole match.
    package let text: String

    /// Reads `pattern`; its literals are folded as `options` say.
    ///
    /// - Throws: `unsupported` for constructs outside of the subset.
    package init(_ pattern: String, _ options: PredicateTree.Options = []) throws(PredicateTreeError) {
        var reader = PredicatePatternReader(pattern, options)
        text = try reader.read()
        do {
            expression = try NSRegularExpression(pattern: "\\A(?:\(text))\\z")
        } catch {
            throw PredicateTreeError(
                .unsupported, "The pattern of MATCHES is no regular expression.", token: pattern)
        }
    }

    /// Whether the whole of `string`, folded by the caller, matches.
    package func matches(_ string: String) -> Bool {
        expression.firstMatch(in: string, range: NSRange(location: 0, length: string.utf16.count)) != nil
    }
}
