import PQClient

/// How work lost against other transactions or against time.
enum Outrun {
    case deadlock, serializationFailure, deadlineExceeded, statementTimeout

    /// What happened and what to do about it.
    var message: String {
        switch self {
        case .deadlock:
            "Another transaction and this one waited for each other's rows, and the server ended this one; run all of "
                + "it again by perform(isolation:retrying:)"
        case .serializationFailure:
            "Another transaction changed what this one had read; run all of it again by perform(isolation:retrying:)"
        case .deadlineExceeded:
            "The time that perform(timeout:) gives was over before the server answered; give more, or look for who "
                + "holds a lock"
        case .statementTimeout:
            "A statement ran for longer than StoreOptions.statementTimeout; give perform a timeout, which replaces it, or "
                + "look for who holds a lock"
        }
    }
}

extension PostgresError {
    /// Nil for all other causes.
    var outrun: Outrun? {
        switch (code, sqlState) {
        case (.deadlineExceeded, _): statementTimeout == nil ? .deadlineExceeded : .statementTimeout
        case (_, SQLState.deadlockDetected): .deadlock
        case (_, SQLState.serializationFailure): .serializationFailure
        default: nil
        }
    }
}

extension SaveError {
    /// The error for a save or transaction that came to nothing in this way.
    init(_ outrun: Outrun, underlying: PostgresError) {
        let code: Code =
            switch outrun {
            case .deadlock: .deadlock
            case .serializationFailure: .serializationFailure
            case .deadlineExceeded, .statementTimeout: .deadlineExceeded
            }
        self.init(code, "\(outrun.message); nothing was stored", underlying: underlying)
    }
}

extension FetchError {
    /// The error for a fetch that came to nothing in this way.
    init(_ outrun: Outrun, underlying: PostgresError) {
        let code: Code =
            switch outrun {
            case .deadlock: .deadlock
            case .serializationFailure: .serializationFailure
            case .deadlineExceeded, .statementTimeout: .deadlineExceeded
            }
        self.init(code, outrun.message, underlying: underlying)
    }
}
