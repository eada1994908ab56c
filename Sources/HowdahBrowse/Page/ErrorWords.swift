import HowdahModel
import HowdahRuntime
import PQClient

/// The words of an error on a page, without values of the database.
enum ErrorWords {
    /// Returns the status and the message of an error.
    static func of(_ error: any Error) -> (status: Int, message: String) {
        switch error {
        case let error as BrowseError: return (error.status, error.message)
        case let error as PredicateTreeError: return (400, error.description)
        case _ where isStopped(error): return stopped
        case let error as StoreError where error.code == .destroyed: return replaced
        default:
            if let cause = cause(of: error), let words = words(of: cause) { return words }
            return other(error)
        }
    }

    private static func other(_ error: any Error) -> (status: Int, message: String) {
        switch error {
        case let error as FetchError where [.database, .closed, .locked, .deadlock].contains(error.code):
            return (503, error.message)
        case let error as FetchError: return (400, error.message)
        case let error as StoreError: return (503, error.message)
        case let error as PostgresError:
            // The description has no values of the database.
            return (503, "The server refused a statement: \(error). Correct the cause, then retry.")
        default: return (500, "The page could not be made. Retry, and report the error if it stays.")
        }
    }

    static func title(_ status: Int) -> String {
        switch status {
        case 400: "The request cannot be answered"
        case 403: "Not allowed"
        case 404: "Not found"
        case 405: "Method not allowed"
        case 503: "The store cannot be read"
        default: "An error occurred"
        }
    }

    private static let stopped = (
        503,
        "A statement ran for longer than 2 s and was stopped. Narrow the filter, sort by a property with an index, or "
            + "add a fetch index."
    )

    private static let replaced = (
        503,
        "The store was destroyed or replaced after this program opened it. Start the program again to see the new one."
    )

    /// The SQLSTATEs of statements about columns, types and tables that are no longer as they were.
    private static let changed: Set = ["42703", "42P01", "42804", "42883", "3F000"]

    /// Returns the words about an error of the server that a reader of the page can act on; nil if there are none.
    private static func words(of error: PostgresError) -> (status: Int, message: String)? {
        switch error.sqlState {
        case SQLState.insufficientPrivilege?: return refused
        case SQLState.lockNotAvailable?:
            return (
                503,
                "A table or row of the page is locked by another session. The page Activity shows by whom. Retry when it is free."
            )
        case let state? where changed.contains(state):
            return (
                503,
                "The tables were changed after this program opened the store: \(error). Start the program again, with the model "
                    + "of the new tables."
            )
        case nil where error.code == .connectionFailed || error.code == .connectionLost:
            return (503, "The database cannot be reached. Check that the server runs, then retry.")
        default: return nil
        }
    }

    private static let refused = (
        403,
        "The role of this program may not read a table or a column of the page. GRANT SELECT on it to the role, or choose "
            + "columns that it may read."
    )

    /// Returns the error of the server or of the connection that led to an error.
    private static func cause(of error: any Error) -> PostgresError? {
        switch error {
        // What is wrong with the request is in its own words.
        case let error as FetchError: error.code == .invalidRequest ? nil : error.underlying
        case let error as StoreError: error.underlying
        case let error as PostgresError: error
        default: nil
        }
    }

    /// Indicates whether the server or the client cancelled a statement that ran for too long.
    static func isStopped(_ error: any Error) -> Bool {
        switch error {
        case let error as FetchError:
            error.code == .deadlineExceeded || error.underlying.map(isStopped) ?? false
        case let error as PostgresError: error.sqlState == "57014" || error.code == .deadlineExceeded
        default: false
        }
    }
}
