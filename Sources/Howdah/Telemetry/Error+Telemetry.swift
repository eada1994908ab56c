#if Server || All || Telemetry
import HowdahRuntime
import PQClient

extension Error {
    /// The type of the error for labels: a SQLSTATE of a statement, or a code of the library; never a message.
    var telemetryType: String {
        switch self {
        case let error as PostgresError: error.sqlState ?? error.code.description
        case let error as SaveError: error.code.description
        case let error as FetchError: error.code.description
        case let error as StoreError: error.code.description
        case let error as HistoryError: error.code.description
        // The name of a generic type has no limit.
        default: String("\(type(of: self))".prefix(100))
        }
    }

    /// Indicates whether the label is one of a fixed number, so that no other error can take its place.
    var hasOwnLabel: Bool {
        switch self {
        case let error as PostgresError: error.sqlState.map(Self.states.contains) ?? true
        case is SaveError, is FetchError, is StoreError, is HistoryError: true
        default: false
        }
    }

    private static var states: Set<String> {
        [
            SQLState.serializationFailure, SQLState.deadlockDetected, SQLState.lockNotAvailable,
            SQLState.uniqueViolation, SQLState.foreignKeyViolation, SQLState.notNullViolation,
            SQLState.checkViolation, SQLState.exclusionViolation, SQLState.queryCancelled,
            SQLState.adminShutdown, SQLState.crashShutdown, SQLState.cannotConnectNow,
            SQLState.tooManyConnections, SQLState.diskFull, SQLState.readOnlyTransaction,
            SQLState.insufficientPrivilege, SQLState.idleInTransactionTimeout,
        ]
    }

    /// Indicates whether a wait for a connection ended with this error because its time was over.
    var isTimeout: Bool {
        switch self {
        case let error as PostgresError: error.code == .poolTimeout || error.code == .deadlineExceeded
        case let error as StoreError: error.code == .overloaded || error.code == .deadlineExceeded
        default: false
        }
    }
}
#endif
