public import Foundation
public import PQClient

/// An error of reading or deleting the history of a store.
public struct HistoryError: Error, Sendable {
    /// The kind of failure, for code that reacts to it.
    public let code: Code
    /// The failure and the remedy, for people.
    public let message: String
    /// The error of the server or the connection, if there was one.
    public let databaseError: PostgresError?

    package init(_ code: Code, _ message: String, databaseError: PostgresError? = nil) {
        self.code = code
        self.message = message
        self.databaseError = databaseError
    }

    /// A kind of failure; more may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        /// The store has no history, or it was enabled and not started.
        public static let noHistory = Code(description: "noHistory")
        /// Changes after the token were purged or deleted, or it is unknown if they are complete.
        ///
        /// Take a token with `currentHistoryToken()`, then read the objects, then read the history after the
        /// token. A consumer begins again at a token that you pass to `historyConsumer(_:after:)`.
        ///
        /// Source: Core Data's `NSPersistentHistoryTokenExpiredError`, 134301.
        public static let tokenExpired = Code(description: "tokenExpired")
        /// A registered consumer has not read all of the changes to delete; see ``HistoryError/message``.
        public static let heldByConsumer = Code(description: "heldByConsumer")
        /// Another process acknowledged changes of the consumer, or the consumer was removed; see
        /// ``HistoryError/message``.
        public static let consumerMoved = Code(description: "consumerMoved")
        /// The token is of another store.
        public static let otherStore = Code(description: "otherStore")
        /// The request is not possible here.
        public static let invalidRequest = Code(description: "invalidRequest")
        /// The server refused a statement or the connection failed; see ``HistoryError/databaseError``.
        public static let database = Code(description: "database")
    }

    static let missing = HistoryError(
        .noHistory,
        "The store has no history, or not all of its tables. Enable it with howdah history enable as the store's owner, and "
            + "open the store again."
    )

    static let starting = HistoryError(
        .noHistory,
        "The history of the store is enabled and not started. Restart all programs that save to the store, and then run "
            + "howdah history start.")

    static let restored = HistoryError(
        .database,
        "The history of the store was restored from a dump, so that changes may be missing. Run howdah history reset as the "
            + "store's owner.")

    static let expired = HistoryError(
        .tokenExpired,
        "The store no longer has all changes after the token. Take a token with currentHistoryToken(), read the objects, and "
            + "continue after that token.")

    static func expired(for name: String) -> HistoryError {
        HistoryError(
            .tokenExpired,
            "The store no longer has all changes that the consumer '\(name)' has not read. Take a token with "
                + "currentHistoryToken(), read the objects, and pass the token to historyConsumer(_:after:), with which the "
                + "consumer begins again.")
    }

    static func unreadable(_ name: String) -> HistoryError {
        HistoryError(
            .database,
            "The place of the consumer '\(name)' cannot be read, and may be of another version of Howdah. Use that version, or "
                + "remove the consumer with removeHistoryConsumer(_:) and register it again.")
    }

    static let readOnly = HistoryError(
        .database,
        "The container was opened with StoreOptions.isReadOnly, and the call changes the history. Nothing was changed. Unset "
            + "isReadOnly.")

    static let fixedSnapshot = HistoryError(
        .database,
        "The session's transactions are not read committed, so that a page of the history could miss changes that are removed "
            + "meanwhile. Set default_transaction_isolation to 'read committed' for the role, or in the connection's options."
    )

    static let foreign = HistoryError(
        .otherStore, "The token is of another store. Pass a token of this store.")

    static func moved(_ name: String) -> HistoryError {
        HistoryError(
            .consumerMoved,
            "Another process acknowledged changes of the consumer '\(name)', or registered it again. Nothing was acknowledged. "
                + "Begin with changes() again, which continues after the last acknowledged change.")
    }

    static func removed(_ name: String) -> HistoryError {
        HistoryError(
            .consumerMoved,
            "The consumer '\(name)' was removed. Nothing was acknowledged. Register it again with historyConsumer(_:after:). "
                + "Its changes may be gone: take a token with currentHistoryToken(), read the objects, and pass the token."
        )
    }

    static func held(by name: String) -> HistoryError {
        HistoryError(
            .heldByConsumer,
            "The consumer '\(name)' has not read all of the changes to delete. Nothing was deleted. Let it read them, or "
                + "remove it with howdah history forget.")
    }
}

extension HistoryError {
    /// Creates the error for a failed statement on the tables of the history.
    init(_ error: PostgresError) {
        if let failure = error.concurrencyFailure {
            self.init(failure, databaseError: error)
            return
        }
        switch error.sqlState {
        case SQLState.undefinedTable, SQLState.undefinedFunction, SQLState.invalidSchemaName:
            self = HistoryError(.noHistory, Self.missing.message, databaseError: error)
        case SQLState.insufficientPrivilege:
            self.init(
                .database,
                "The role lacks a right on the tables of the history. Run howdah migrate doctor --role as the store's "
                    + "owner, and grant the rights that it lists.", databaseError: error)
        case SQLState.readOnlyTransaction:
            self.init(
                .database,
                "The server is a standby or the session is read-only, and the statement writes. Use the primary.",
                databaseError: error)
        case Self.standbyState where error.phase == .execute:
            self.init(
                .database, "The server is a standby. Read the history on the primary.", databaseError: error)
        case _ where error.code == .invalidValue:
            self.init(
                .invalidRequest, "A value of the request cannot be sent. Correct the cause that is named.",
                databaseError: error)
        case _ where error.isOfSession || error.code == .connectionFailed:
            self.init(
                .database,
                "The connection failed before the database answered a statement on the history. Try again when the server "
                    + "accepts connections.", databaseError: error)
        default:
            self.init(
                .database,
                "The database refused a statement on the history. Correct the cause that it names.",
                databaseError: error)
        }
    }

    /// Runs `body`, and throws a history error if the server refuses a statement.
    static func explaining<T>(_ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch let error as PostgresError {
            throw HistoryError(error)
        }
    }

    /// The state with which a standby refuses functions of a primary. After a failover, the address is for a
    /// moment that of a standby.
    private static let standbyState = "55000"

    /// A Boolean value that indicates whether the server refused a statement because it is a standby.
    var isOfStandby: Bool {
        let state = code == .database ? databaseError?.sqlState : nil
        return state == Self.standbyState || state == SQLState.readOnlyTransaction
    }

    /// A Boolean value that indicates whether the same call may succeed later.
    var isTransient: Bool {
        guard code == .database, let cause = databaseError else { return false }
        switch cause.code {
        case .connectionLost, .connectionFailed, .poolTimeout, .deadlineExceeded: return true
        default: break
        }
        let transient: Set<String> = [
            SQLState.serializationFailure, SQLState.deadlockDetected, SQLState.lockNotAvailable,
            SQLState.tooManyConnections, SQLState.adminShutdown, SQLState.crashShutdown,
            SQLState.cannotConnectNow, SQLState.queryCancelled, "53100", "53200", "57P05", "25P03",
            SQLState.readOnlyTransaction,
            Self.standbyState,
        ]
        return cause.sqlState.map(transient.contains) ?? false
    }
}

extension HistoryError: CustomStringConvertible, CustomDebugStringConvertible {
    /// The code and the message; safe to show.
    public var description: String { "history failed (\(code)): \(message.caused(by: databaseError))" }

    /// All properties, with the server's own fields.
    public var debugDescription: String { "\(description) \(databaseError?.debugDescription ?? "")" }
}

extension HistoryError: LocalizedError {
    /// The same text as ``description``.
    public var errorDescription: String? { description }
}
