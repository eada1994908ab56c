/// A regular expression read as a recipe for texts that match it.
///
/// Reads the portable form that `PredicatePattern` writes, in which escapes like `\d` are classes already.
struct PatternGrammar: Sendable {
    indirect enum Node: Sendable {
        case choice([[Node]])
        case scalars([ClosedRange<UInt32>])
        case repeated(Node, least: Int, most: Int?)
    }

    private let root: Node

    /// nil where the text is not in the portable form.
    init?(_ text: String) {
        var reader = PatternGrammarReader(text)
        guard let root = reader.choice(), reader.isAtEnd else { return nil }
        self.root = root
    }

    /// A matching text; what may be repeated without end is, up to `longest` times more than it must be.
    func text(_ random: inout SplitMix64, longest: Int) -> String {
        var text = String.UnicodeScalarView()
        write(root, &random, longest, &text)
        return String(text)
    }

    private func write(
        _ node: Node, _ random: inout SplitMix64, _ longest: Int, _ text: inout String.UnicodeScalarView
    ) {
        switch node {
        case .choice(let branches):
            for part in random.pick(branches) { write(part, &random, longest, &text) }
        case .scalars(let ranges):
            let range = random.pick(ranges)
            let value = range.lowerBound + UInt32(random.below(range.count))
            if let scalar = Unicode.Scalar(value) { text.append(scalar) }
        case .repeated(let inner, let least, let most):
            let limit = min(most ?? .max, least + longest)
            for _ in 0..<least + random.below(limit - least + 1) { write(inner, &random, longest, &text) }
        }
    }
}
