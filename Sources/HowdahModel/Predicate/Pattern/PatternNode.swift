/// A part of a regular expression in its portable form.
///
/// The portable form is the one that ``PredicatePattern`` writes, in which escapes like `\d` are classes already.
package indirect enum PatternNode: Sendable {
    /// One of several sequences.
    case choice([[PatternNode]])
    /// One scalar in the ranges, or in none of them.
    case scalars([ClosedRange<UInt32>], isNegated: Bool)
    /// A part repeated within the bounds; without a limit if `most` is nil.
    case repeated(PatternNode, least: Int, most: Int?)

    /// Creates a node from a pattern in the portable form; nil for any other text.
    package init?(portable text: String) {
        var reader = PatternNodeReader(text)
        guard let root = reader.choice(), reader.isAtEnd else { return nil }
        self = root
    }
}
