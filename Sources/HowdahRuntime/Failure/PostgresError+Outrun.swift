import PQClient

/// The ways in which work loses to other transactions or to a timeout.
enum Outrun {
    case deadlock, serializationFailure, deadlineExceeded, statementTimeout

    /// The event as a sentence.
    fileprivate var event: String {
        switch self {
        case .deadlock:
            "Another transaction and this one waited for each other's locks, and the server ended this one."
        case .serializationFailure: "Another transaction changed rows that this one had read."
        case .deadlineExceeded: "The timeout of perform(timeout:) expired before the server answered."
        case .statementTimeout: "A statement ran for longer than StoreOptions.statementTimeout."
        }
    }

    /// The remedy as a sentence.
    fileprivate var remedy: String {
        switch self {
        case .deadlock, .serializationFailure:
            "Run the whole unit of work again with perform(isolation:retrying:)."
        case .deadlineExceeded: "Set a longer timeout, or look for a session that holds a lock."
        case .statementTimeout:
            "To wait longer, use perform(timeout:), which replaces that limit. Or look for a session that holds a lock."
        }
    }
}

extension PostgresError {
    /// The way in which the work lost; nil for all other causes.
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
    /// Creates the error for a save or transaction that lost in this way.
    init(_ outrun: Outrun, underlying: PostgresError) {
        let code: Code =
            switch outrun {
            case .deadlock: .deadlock
            case .serializationFailure: .serializationFailure
            case .deadlineExceeded, .statementTimeout: .deadlineExceeded
            }
        self.init(code, "\(outrun.event) Nothing was saved. \(outrun.remedy)", underlying: underlying)
    }
}

extension FetchError {
    /// Creates the error for a fetch that lost in this way.
    init(_ outrun: Outrun, underlying: PostgresError) {
        let code: Code =
            switch outrun {
            case .deadlock: .deadlock
            case .serializationFailure: .serializationFailure
            case .deadlineExceeded, .statementTimeout: .deadlineExceeded
            }
        self.init(code, "\(outrun.event) \(outrun.remedy)", underlying: underlying)
    }
}
