@testable import HowdahModel

/// Random regular expressions of the subset, and texts that have a chance to match them.
struct RandomPatterns {
    var random: RandomPredicates

    private static let scalars = [
        "a", "b", "A", "Z", "1", "_", " ", "-", ".", "\\", "^", "]", "\t", "\u{0B}", "\u{0C}", "\n", "\r",
        "\r\n",
        "\u{85}", "\u{2028}", "\u{2029}", "é", "e\u{301}", "\u{301}", "ß", "ss", "İ", "ς", "Ø", "٣", "東", "가",
        "\u{1100}\u{1161}", "\u{FFFF}", "𝔘", "👩‍👩‍👧", "🇦🇿", "\u{10FFFF}", "\u{1}", "\u{7F}", "\u{200D}",
        "\u{D7FF}",
        "\u{E000}",
    ]

    init(seed: UInt64) { random = RandomPredicates(seed: seed) }

    private mutating func number(_ range: ClosedRange<Int>) -> Int {
        Int.random(in: range, using: &random.generator)
    }

    mutating func options() -> PredicateTree.Options {
        random.pick([
            [], [], .caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive],
        ])
    }

    mutating func pattern(depth: Int) -> String {
        let branches = (0..<random.pick([1, 1, 1, 2, 3])).map { _ in
            (0..<number(0...3)).map { _ in atom(depth: depth) + repetition() }.joined()
        }
        return branches.joined(separator: "|")
    }

    private mutating func repetition() -> String {
        random.pick([
            "", "", "", "", "*", "+", "?", "*?", "+?", "??", "{2}", "{1,3}", "{0,}", "{0}", "{0,1}", "{1,}?",
            "{2,2}?",
        ])
    }

    private mutating func atom(depth: Int) -> String {
        switch number(0...(depth > 0 ? 9 : 5)) {
        case 0, 1: escaped(random.pick(Self.scalars))
        case 2: random.pick([".", "\\d", "\\w", "\\s", "\\D", "\\W", "\\S", "\\n", "\\r", "\\t", "\\f"])
        case 3: "[" + (0..<number(1...3)).map { _ in member() }.joined() + "]"
        case 4: "[^" + (0..<number(1...3)).map { _ in member() }.joined() + "]"
        case 5: random.pick(["[\\sA1]", "[a-]", "[-a]", "[\\]a]", "[\\^a]", "[a^]", "[^\\w\\s]", "[^-]"])
        case 6, 7: "(" + pattern(depth: depth - 1) + ")"
        default: "(?:" + pattern(depth: depth - 1) + ")"
        }
    }

    private mutating func member() -> String {
        random.pick([
            "a", "b", "a-c", "é", "0-9", "\\d", "\\w", "\\s", "\\n", "🐘", ".", "*", "\\-", "$", " ", "!-~",
            "à-ü", "A-Z",
            "\u{1}-\u{10FFFF}", "\u{D7FF}-\u{E000}", "𝔘", "\u{2028}", "東-가", "\u{301}",
        ])
    }

    private func escaped(_ text: String) -> String {
        text.unicodeScalars.map { "\\.^]-".unicodeScalars.contains($0) ? "\\\($0)" : "\($0)" }.joined()
    }

    /// A few characters, of which some follow the pattern.
    mutating func text(for pattern: PatternNode?) -> String {
        guard let pattern, number(0...2) > 0 else {
            return (0..<number(0...5)).map { _ in random.pick(Self.scalars) }.joined()
        }
        var scalars = String.UnicodeScalarView()
        write(pattern, &scalars)
        if number(0...3) == 0, !scalars.isEmpty {
            let place = scalars.index(scalars.startIndex, offsetBy: number(0...scalars.count - 1))
            scalars.replaceSubrange(place...place, with: random.pick(Self.scalars).unicodeScalars)
        }
        return String(scalars)
    }

    private mutating func write(_ node: PatternNode, _ text: inout String.UnicodeScalarView) {
        switch node {
        case .choice(let branches): for part in random.pick(branches) { write(part, &text) }
        case .scalars(let ranges, let isNegated):
            let range = random.pick(ranges)
            let value = UInt32.random(in: range, using: &random.generator)
            let other = random.pick(Self.scalars).unicodeScalars.first
            if let scalar = isNegated ? other : Unicode.Scalar(value) ?? other { text.append(scalar) }
        case .repeated(let inner, let least, let most):
            for _ in 0..<number(least...min(most ?? .max, least + 2)) { write(inner, &text) }
        }
    }
}
