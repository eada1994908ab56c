import HowdahModel

/// A filter for the objects that have some words in one of their texts, from words that are no condition.
struct WordSearch {
    let filter: String
    /// The number of texts in which the filter looks; nil if it tests the Boolean property that the words name.
    let textCount: Int?

    /// The most texts.
    private static let mostTexts = 60
    /// The words of comparisons, which no search has.
    private static let comparisons: Set<String> = [
        "LIKE", "MATCHES", "BETWEEN", "CONTAINS", "BEGINSWITH", "ENDSWITH",
    ]
    /// The words that a search can have, if it names no property.
    private static let connectives: Set<String> = ["AND", "OR", "NOT", "IN", "ANY", "ALL"]

    /// - Returns: Nil for a text that is meant as a condition, and if the entity has no text to look in.
    init?(_ typed: String, of entity: String, _ guide: ModelGuide) {
        let text = typed.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        guard Self.isSearch(text, of: entity, guide) else { return nil }
        if let attribute = guide.model.property(named: text, of: entity)?.attribute {
            guard attribute.type.kind == .boolean, !guide.isSensitive(text, of: entity) else { return nil }
            (filter, textCount) = ("\(PredicateTree.filterPath(text)) == TRUE", nil)
            return
        }
        let names = guide.attributes(of: entity).filter {
            $0.type.kind == .string && !guide.isSensitive($0.name, of: entity)
        }.map(\.name)
        // The name of a property may be unfinished.
        if names.isEmpty || guide.columns(of: entity).contains(where: { $0.hasPrefix(text) }) { return nil }
        // A link has all of it.
        var length = 0
        let tests = names.prefix(Self.mostTexts).map {
            "\(PredicateTree.filterPath($0)) CONTAINS[c] \"\(text)\""
        }.prefix { test in
            length += FormText.encoded(test).utf8.count + 8
            return length < 12_000
        }
        (filter, textCount) = (tests.joined(separator: " OR "), tests.count)
    }

    /// Indicates whether a text is one to look for, and not a condition.
    private static func isSearch(_ text: String, of entity: String, _ guide: ModelGuide) -> Bool {
        let words = text.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init)
        let isConnected = words.contains { connectives.contains($0.uppercased()) }
        return !text.isEmpty && text.count <= 60 && text.utf8.count <= 250
            && !text.contains { "=<>!\"\\{}()#$".contains($0) }
            && text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
            && !words.contains { comparisons.contains($0.uppercased()) }
            && (!isConnected || !words.contains { guide.model.property(named: $0, of: entity) != nil })
    }
}
