import HowdahModel
import PQClient

extension FetchError {
    /// Creates the error for a language that the server does not know; nil for other errors.
    init?(refusing search: TextSearch?, _ error: PostgresError) {
        guard let search, error.sqlState == SQLState.undefinedObject, error.message.contains(search.language)
        else { return nil }
        self.init(
            .database,
            "The server has no text search configuration '\(search.language)'. Name one that SELECT cfgname FROM "
                + "pg_ts_config lists, such as english or simple, or create that configuration in SQL.",
            databaseError: error)
    }

    /// Creates the error for your own statement that the server does not understand; nil for other errors.
    ///
    /// It has the server's message and the position.
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
            databaseError: error)
    }
}
