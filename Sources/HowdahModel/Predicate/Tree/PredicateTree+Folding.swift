extension PredicateTree.Options {
    /// The foldings there are, by the letters that stand for them in formats.
    package static let foldings: [String: PredicateTree.Options] = [
        "c": .caseInsensitive, "d": .diacriticInsensitive, "cd": [.caseInsensitive, .diacriticInsensitive],
    ]

    /// The folding that `letters` stand for; nil for others than c, d and cd.
    package init?(letters: String) {
        guard let options = Self.foldings[letters] else { return nil }
        self = options
    }

    /// The letters of what is folded; empty for nothing.
    package var letters: String {
        (folding.contains(.caseInsensitive) ? "c" : "") + (folding.contains(.diacriticInsensitive) ? "d" : "")
    }
}
