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
        case _ where isRefused(error): return refused
        case let error as FetchError where [.database, .closed, .locked, .deadlock].contains(error.code):
            return (503, error.message)
        case let error as FetchError: return (400, error.message)
        case let error as StoreError: return (503, error.message)
        case let error as PostgresError:
            let state = error.sqlState.map { " with SQLSTATE \($0)" } ?? ""
            return (503, "The server refused a statement\(state). Check the role's rights, then retry.")
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

    private static let refused = (
        403,
        "The role of this program may not read a table or a column of the page. GRANT SELECT on it to the role, or choose "
            + "columns that it may read."
    )

    /// Indicates whether the role lacks a right.
    private static func isRefused(_ error: any Error) -> Bool {
        let refusal = SQLState.insufficientPrivilege
        return switch error {
        case let error as FetchError: error.underlying?.sqlState == refusal
        case let error as StoreError: error.underlying?.sqlState == refusal
        case let error as PostgresError: error.sqlState == refusal
        default: false
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
