internal import Foundation

/// The regular expression that an attribute's whole text has to match.
///
/// One of the subset that ICU and PostgreSQL read alike is also a CHECK; any other one is ICU's and checked in memory
/// only.
package struct ValidationPattern: Sendable {
    private enum Engine: Sendable {
        case shared(PredicatePattern)
        case memory(NSRegularExpression)
    }

    private let engine: Engine

    /// Reads a regular expression.
    ///
    /// - Throws: `PredicateTreeError` where it is none.
    package init(_ regex: String) throws(PredicateTreeError) {
        let regex = regex.howdahNormalized
        do throws(PredicateTreeError) {
            engine = .shared(try PredicatePattern(regex))
            return
        } catch {
            // Outside of the subset, or no regular expression at all: ICU knows which.
        }
        do {
            engine = .memory(try NSRegularExpression(pattern: "\\A(?:\(regex))\\z"))
        } catch {
            throw PredicateTreeError(.syntax, "The pattern is no regular expression.")
        }
    }

    /// The pattern as PostgreSQL reads it, without anchors; nil outside of the subset.
    package var sharedText: String? {
        if case .shared(let pattern) = engine { pattern.text } else { nil }
    }

    /// Whether the whole of `text` matches.
    package func matches(_ text: String) -> Bool {
        switch engine {
        case .shared(let pattern): pattern.matches(text)
        case .memory(let expression):
            expression.firstMatch(in: text, range: NSRange(location: 0, length: text.utf16.count)) != nil
        }
    }
}
