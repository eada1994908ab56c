extension PredicateTree.Options {
    /// The foldings by their letters in formats.
    package static let foldings: [String: PredicateTree.Options] = [
        "c": .caseInsensitive, "d": .diacriticInsensitive, "cd": [.caseInsensitive, .diacriticInsensitive],
    ]

    /// Creates the folding of `letters`; nil for letters other than c, d and cd.
    package init?(letters: String) {
        guard let options = Self.foldings[letters] else { return nil }
        self = options
    }

    /// The letters of the folding; empty for none.
    package var letters: String {
        (folding.contains(.caseInsensitive) ? "c" : "") + (folding.contains(.diacriticInsensitive) ? "d" : "")
    }
}
