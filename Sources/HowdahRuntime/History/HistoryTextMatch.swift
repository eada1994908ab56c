/// A condition on the author, the context's name or the process of a history transaction.
public struct HistoryTextMatch: Sendable, Hashable, ExpressibleByStringLiteral {
    /// The texts, as the store records them.
    let texts: [String]
    /// Indicates whether the condition is that none of the texts is equal.
    let isNegated: Bool

    /// Matches if the text is one of these.
    public static func any(_ texts: String...) -> HistoryTextMatch {
        HistoryTextMatch(texts: texts, isNegated: false)
    }

    /// Matches if the text is missing, or none of these.
    public static func not(_ texts: String...) -> HistoryTextMatch {
        HistoryTextMatch(texts: texts, isNegated: true)
    }

    private init(texts: [String], isNegated: Bool) {
        self.texts = texts.map(\.storable)
        self.isNegated = isNegated
    }

    /// Matches if the text is equal.
    public init(stringLiteral value: String) { self.init(texts: [value], isNegated: false) }

    func matches(_ text: String?) -> Bool {
        text.map(texts.contains) ?? false ? !isNegated : isNegated
    }
}
