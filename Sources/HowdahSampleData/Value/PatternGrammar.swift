import HowdahModel

/// A regular expression read as a recipe for texts that match it.
struct PatternGrammar: Sendable {
    private let root: PatternNode

    /// Reads the portable form that `PredicatePattern` writes; nil if no text can be made for it.
    init?(_ text: String) {
        guard let root = PatternNode(portable: text), root.hasTexts else { return nil }
        self.root = root
    }

    /// A matching text; unlimited repetitions get up to `longest` more than they need.
    func text(_ random: inout SplitMix64, longest: Int) -> String {
        var text = String.UnicodeScalarView()
        write(root, &random, longest, &text)
        return String(text)
    }

    private func write(
        _ node: PatternNode, _ random: inout SplitMix64, _ longest: Int,
        _ text: inout String.UnicodeScalarView
    ) {
        switch node {
        case .choice(let branches):
            for part in random.pick(branches) { write(part, &random, longest, &text) }
        case .scalars(let ranges, let isNegated):
            let range = random.pick(isNegated ? node.printable : ranges)
            let value = range.lowerBound + UInt32(random.below(range.count))
            if let scalar = Unicode.Scalar(value) { text.append(scalar) }
        case .repeated(let inner, let least, let most):
            let limit = min(most ?? .max, least + longest)
            for _ in 0..<least + random.below(limit - least + 1) { write(inner, &random, longest, &text) }
        }
    }
}

extension PatternNode {
    /// The printable scalars of ASCII that a negated class takes, each as a range.
    fileprivate var printable: [ClosedRange<UInt32>] {
        guard case .scalars(let ranges, isNegated: true) = self else { return [] }
        return (UInt32(0x20)...0x7E).filter { value in !ranges.contains { $0.contains(value) } }.map {
            $0...$0
        }
    }

    /// Indicates whether all negated classes take printable scalars.
    fileprivate var hasTexts: Bool {
        switch self {
        case .choice(let branches): branches.joined().allSatisfy(\.hasTexts)
        case .scalars(_, let isNegated): !isNegated || !printable.isEmpty
        case .repeated(let inner, _, _): inner.hasTexts
        }
    }
}
