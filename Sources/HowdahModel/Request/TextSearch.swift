/// Words to search for in texts, by PostgreSQL's full-text search: word stems of a language, not substrings.
///
/// You can pass the text of a search box: all words must be found; `"…"` is a phrase, `or` an alternative,
/// and `-` excludes a word. No input is an error. A GIN index on
/// ``FetchIndexElement/textSearch(onColumns:language:)`` makes it fast.
///
/// Source: <https://www.postgresql.org/docs/current/textsearch-controls.html>, `websearch_to_tsquery`.
public struct TextSearch: Hashable, Sendable {
    /// The text of the search box.
    public var words: String
    /// The names of String attributes, which are searched as one text; key paths over to-one relationships
    /// too.
    public var properties: [String]
    /// One of the server's text search configurations, such as "english", "german" or "simple", which has no
    /// stems.
    public var language: String

    /// Creates a search for words in properties.
    public init(_ words: String, in properties: String..., language: String) {
        self.words = words
        self.properties = properties
        self.language = language
    }

    /// Returns the SQL of the searched document, made of expressions for its texts.
    package static func document(_ texts: [String], language: String) -> String {
        let joined = texts.map { "COALESCE(\($0), '')" }.joined(separator: " || ' ' || ")
        return "pg_catalog.to_tsvector(\(language), \(joined))"
    }
}

extension FetchIndexElement {
    /// Returns the element of a `gin` index for a ``TextSearch`` in these attributes.
    ///
    /// - Parameters:
    ///   - columns: The columns of the attributes, in the order of the search: their names in snake case,
    ///     unless the model gives them others.
    ///   - language: The configuration of the search.
    public static func textSearch(onColumns columns: String..., language: String) -> FetchIndexElement {
        let names = columns.map { "\"\($0.replacing("\"", with: "\"\""))\"" }
        let literal = "'\(language.replacing("'", with: "''"))'"
        return .expression(TextSearch.document(names, language: literal))
    }
}
