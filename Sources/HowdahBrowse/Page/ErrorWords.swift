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
        case _ where isRefused(error): return refused(state(of: error)?.message)
        case _ where isLocked(error): return locked
        case _ where isDifferent(error): return different
        case let error as StoreError where error.code == .destroyed: return replaced
        case let error as FetchError where [.database, .closed, .locked, .deadlock].contains(error.code):
            return (503, error.message)
        case let error as FetchError: return (400, error.message)
        case let error as StoreError: return (503, error.message)
        case let error as PostgresError:
            guard let state = error.sqlState, !state.hasPrefix("08"), !state.hasPrefix("57P") else {
                return (
                    503,
                    "The database cannot be reached, or it ended the session. Retry when the server runs."
                )
            }
            return (503, "The server refused a statement with SQLSTATE \(state). Retry.")
        default: return (500, "The page could not be made. Retry, and report the error if it stays.")
        }
    }

    static func title(_ status: Int) -> String {
        switch status {
        case 400: "The request cannot be answered"
        case 403: "Not allowed"
        case 404: "Not found"
        case 405: "Method not allowed"
        case 414: "The address is too long"
        case 503: "The page cannot be read"
        default: "An error occurred"
        }
    }

    private static let stopped = (
        503,
        "A statement ran for longer than 2 s and was stopped. Narrow the filter, sort by a property with an index, or "
            + "add a fetch index."
    )

    /// - Parameter message: The server's words, which name the table.
    private static func refused(_ message: String?) -> (Int, String) {
        (
            403,
            "The role of this program may not read a table or a column of the page"
                + "\(message.map { ": \($0)" } ?? ""). GRANT SELECT on it to the role, or open a table of objects with "
                + "columns that it may read."
        )
    }

    private static let locked = (
        503,
        "Another session has a table of the page locked, or waits to lock it, for example a migration. See Activity for the session that "
            + "holds the lock, or the prepared transaction, and retry when it has ended."
    )

    private static let different = (
        503,
        "The tables differ from the model that the pages have. See Migrations for the differences, or restart the "
            + "program of the pages if the store was migrated."
    )

    private static let replaced = (
        503,
        "The store was destroyed or replaced after the pages opened it. Restart howdah browse, or the program that "
            + "has the pages."
    )

    /// The error of the server.
    private static func state(of error: any Error) -> PostgresError? {
        switch error {
        case let error as FetchError: error.databaseError
        case let error as StoreError: error.databaseError
        case let error as SaveError: error.databaseError
        default: error as? PostgresError
        }
    }

    /// The server's words about a right that the role lacks; nil for another error.
    static func refusal(_ error: any Error) -> String? {
        isRefused(error) ? state(of: error)?.message : nil
    }

    /// Indicates whether the role lacks a right.
    private static func isRefused(_ error: any Error) -> Bool {
        state(of: error)?.sqlState == SQLState.insufficientPrivilege
    }

    /// Indicates whether another session has a lock.
    static func isLocked(_ error: any Error) -> Bool {
        if let error = error as? FetchError, error.code == .locked { return true }
        return state(of: error)?.sqlState == SQLState.lockNotAvailable
    }

    /// Indicates whether a statement names a table or column that does not exist, or has another type.
    private static func isDifferent(_ error: any Error) -> Bool {
        ["42703", "42P01", "42804", "42883", "42846"].contains(state(of: error)?.sqlState)
    }

    /// Indicates whether the server or the client cancelled a statement that ran for too long.
    static func isStopped(_ error: any Error) -> Bool {
        switch error {
        case let error as FetchError:
            error.code == .deadlineExceeded || error.databaseError.map(isStopped) ?? false
        case let error as SaveError: error.databaseError.map(isStopped) ?? false
        case let error as PostgresError: error.sqlState == "57014" || error.code == .deadlineExceeded
        default: false
        }
    }
}
