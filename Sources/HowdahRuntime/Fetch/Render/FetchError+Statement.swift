import HowdahModel
import PQClient

extension FetchError {
    /// The error for a language that the server does not know; nil where it complains of something else.
    init?(refusing search: TextSearch?, _ error: PostgresError) {
        guard let search, error.sqlState == SQLState.undefinedObject, error.message.contains(search.language)
        else { return nil }
        self.init(
            .database,
            "The server has no text search configuration '\(search.language)'. Name one that SELECT cfgname FROM "
                + "pg_ts_config lists, such as english or simple, or create that configuration in SQL.",
            underlying: error)
    }

    /// The error for a statement of one's own that the server does not understand, with what it says and where; nil where it
    /// refuses the statement for something else.
    init?(refusing query: SQLQuery, _ error: PostgresError) {
        // Once it runs, its text is not all that can be wrong: a value may be, and would be quoted. Without prepared
        // statements the server has a place in this text only if it could not read it.
        guard error.sqlState == SQLState.syntaxError,
            error.phase == .prepare || error.position != nil && error.context == nil
        else { return nil }
        let place = error.position.map { ", at character \($0)" } ?? ""
        // The text is the program's own, and its values are parameters.
        self.init(
            .database,
            "The server cannot parse the statement\(place): \(error.message). Correct the statement.",
            underlying: error)
    }
}
