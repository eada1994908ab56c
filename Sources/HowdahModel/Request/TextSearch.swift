/// Words to search for in texts, by PostgreSQL's full-text search: word stems of a language, not substrings.
///
/// The words are as people type them into a search box: all must be found; `"…"` is a phrase, `or` an alternative, `-` leaves
/// out. No input is an error. A GIN index on ``FetchIndexElement/textSearch(onColumns:language:)`` makes it fast.
///
/// Source: <https://www.postgresql.org/docs/current/textsearch-controls.html>, `websearch_to_tsquery`.
public struct TextSearch: Hashable, Sendable {
    /// What was typed.
    public var words: String
    /// The names of String attributes, which are searched as one text; key paths over to-one relationships as well.
    public var properties: [String]
    /// One of the server's text search configurations, such as "english", "german" or "simple", which knows no stems.
    public var language: String

    /// A search for words in properties.
    public init(_ words: String, in properties: String..., language: String) {
        self.words = words
        self.properties = properties
        self.language = language
    }

    /// The document that is searched, of expressions for the texts in it.
    package static func document(_ texts: [String], language: String) -> String {
        let joined = texts.map { "COALESCE(\($0), '')" }.joined(separator: " || ' ' || ")
        return "pg_catalog.to_tsvector(\(language), \(joined))"
    }
}

extension FetchIndexElement {
    /// What a ``TextSearch`` in these attributes searches, for an index by the method `gin`.
    ///
    /// - Parameters:
    ///   - columns: the columns of the attributes, in the order of the search: their names in snake case, where the model
    ///     gives them no other.
    ///   - language: as in the search.
    public static func textSearch(onColumns columns: String..., language: String) -> FetchIndexElement {
        let names = columns.map { "\"\($0.replacing("\"", with: "\"\""))\"" }
        let literal = "'\(language.replacing("'", with: "''"))'"
        return .expression(TextSearch.document(names, language: literal))
    }
}
