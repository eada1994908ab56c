import HowdahModel
import PQClient

/// The SQL of a text search: the condition, and the rank of a row's match.
struct SearchCondition {
    let condition: String
    let rank: String

    /// - Throws: `PredicateTreeError` for an unknown name; `FetchError.invalidRequest` for a property that is
    ///   not a text.
    init(
        _ search: TextSearch, in scope: SQLScope, _ resolver: KeyPathResolver,
        _ parameters: inout Parameters
    ) throws {
        guard !search.properties.isEmpty else {
            throw FetchError(
                .invalidRequest, "The text search has no properties. Name the properties to search.")
        }
        guard !search.language.isEmpty else {
            throw FetchError(
                .invalidRequest,
                "The text search has no language. Name a language, such as english or simple.")
        }
        let texts = try search.properties.map { name in
            let path = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            guard case .operand(.column(let column)) = try resolver.resolve(path[...], in: scope),
                column.type == .text
            else {
                throw FetchError(
                    .invalidRequest, "'\(name)' is not a String attribute. Search in String attributes.")
            }
            return column.sql
        }
        // A constant, because an index is found by the expression that it was made of.
        let language = SQLLiteral.string(search.language)
        let document = TextSearch.document(texts, language: language)
        try parameters.append(search.words)
        let query = "pg_catalog.websearch_to_tsquery(\(language), $\(parameters.count))"
        condition = "\(document) @@ \(query)"
        rank = "pg_catalog.ts_rank(\(document), \(query))"
    }
}
