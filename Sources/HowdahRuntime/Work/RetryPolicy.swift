import PQClient

/// When `perform` runs its body again from the start, on a clean context.
///
/// Without an isolation each save is committed by itself. Such a body is not run again once it has saved something.
public struct RetryPolicy: Sendable {
    private let attempts: Int

    private init(attempts: Int) { self.attempts = attempts }

    /// The body runs once.
    public static let never = RetryPolicy(attempts: 1)

    /// The body runs up to `attempts` times in all, as long as it fails by a lost update, a serialization failure, a
    /// deadlock or a lost COMMIT that turned out to have stored nothing. The second run comes at once: whoever won is done by then. Before the later ones it waits up to
    /// 2 to 500 milliseconds, longer each time and by chance.
    public static func conflicts(upTo attempts: Int) -> RetryPolicy {
        precondition(attempts > 0, "a body runs at least once; pass 1 or more")
        return RetryPolicy(attempts: attempts)
    }

    func allows(attempt: Int, after error: any Error) -> Bool { attempt < attempts && Self.isConflict(error) }

    private static func isConflict(_ error: any Error) -> Bool {
        switch error {
        case let error as SaveError:
            error.code == .conflict || error.code == .notCommitted || hasLostARace(error.underlying)
        case let error as FetchError: hasLostARace(error.underlying)
        case let error as PostgresError: hasLostARace(error)
        default: false
        }
    }

    // Of another name than `isConflict`: the overload for any error would be chosen for one that is not optional.
    private static func hasLostARace(_ error: PostgresError?) -> Bool {
        error?.sqlState == SQLState.serializationFailure || error?.sqlState == SQLState.deadlockDetected
    }
}
