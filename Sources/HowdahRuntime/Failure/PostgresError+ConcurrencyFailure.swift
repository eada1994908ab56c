import PQClient

/// The ways in which work loses to other transactions or to a timeout.
enum ConcurrencyFailure {
    case deadlock, serializationFailure, deadlineExceeded, statementTimeout

    /// Returns the event, its outcome and the remedy.
    fileprivate func message(_ outcome: String = "") -> String {
        switch self {
        case .deadlock:
            "Another transaction and yours waited for each other's locks, and the server ended yours. \(outcome)Run the "
                + "whole unit of work again with perform(isolation:retrying:)."
        case .serializationFailure:
            "Another transaction changed rows that your transaction had read. \(outcome)Run the whole unit of work "
                + "again with perform(isolation:retrying:)."
        case .deadlineExceeded:
            "The timeout of perform(timeout:) expired before the server answered. \(outcome)Set a longer timeout, or "
                + "look for a session that holds a lock."
        case .statementTimeout:
            "A statement ran for longer than StoreOptions.statementTimeout. \(outcome)Use perform(timeout:) for a "
                + "longer limit, or look for a session that holds a lock."
        }
    }
}

extension PostgresError {
    /// The way in which the work lost; nil for all other causes.
    var concurrencyFailure: ConcurrencyFailure? {
        switch (code, sqlState) {
        case (.deadlineExceeded, _): statementTimeout == nil ? .deadlineExceeded : .statementTimeout
        case (_, SQLState.deadlockDetected): .deadlock
        case (_, SQLState.serializationFailure): .serializationFailure
        default: nil
        }
    }

    /// A Boolean value that indicates whether the session ended, and not only a statement.
    var isOfSession: Bool { code == .connectionLost }

    /// A Boolean value that indicates whether the transaction lost to others and may succeed if it is run again.
    ///
    /// A statement outside of a transaction has the isolation that the database or the role has by default.
    var isConcurrencyConflict: Bool {
        sqlState == SQLState.deadlockDetected || sqlState == SQLState.serializationFailure
    }
}

extension SaveError {
    /// Creates the error for a save or transaction that lost in this way.
    init(_ concurrencyFailure: ConcurrencyFailure, databaseError: PostgresError) {
        let code: Code =
            switch concurrencyFailure {
            case .deadlock: .deadlock
            case .serializationFailure: .serializationFailure
            case .deadlineExceeded, .statementTimeout: .deadlineExceeded
            }
        self.init(code, concurrencyFailure.message("Nothing was saved. "), databaseError: databaseError)
    }
}

extension HistoryError {
    /// Creates the error for a statement on the history that lost in this way.
    init(_ concurrencyFailure: ConcurrencyFailure, databaseError: PostgresError) {
        self.init(.database, concurrencyFailure.message(), databaseError: databaseError)
    }
}

extension FetchError {
    /// Creates the error for a fetch that lost in this way.
    init(_ concurrencyFailure: ConcurrencyFailure, databaseError: PostgresError) {
        let code: Code =
            switch concurrencyFailure {
            case .deadlock: .deadlock
            case .serializationFailure: .serializationFailure
            case .deadlineExceeded, .statementTimeout: .deadlineExceeded
            }
        self.init(code, concurrencyFailure.message(), databaseError: databaseError)
    }
}
