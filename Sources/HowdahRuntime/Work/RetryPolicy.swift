import PQClient

/// The conditions on which `perform` runs its body again from the start, on a clean context.
///
/// Without an isolation each save is committed separately. If such a body has saved something, it is not run
/// again.
public struct RetryPolicy: Sendable {
    private let attempts: Int

    private init(attempts: Int) { self.attempts = attempts }

    /// Runs the body once.
    public static let never = RetryPolicy(attempts: 1)

    /// Runs the body up to `attempts` times in all, if it fails by a conflict.
    ///
    /// A conflict is a lost update, a serialization failure, a deadlock, or a lost COMMIT that stored
    /// nothing. A version that you named with ``ManagedObjectContext/existingObject(with:version:)`` stays
    /// stale, so that conflict is thrown at once.
    ///
    /// The second run begins at once, because the winner has finished by then. Each later run waits
    /// a random time, at most 2 milliseconds before the third run, doubling up to 500 milliseconds.
    ///
    /// - Parameter attempts: The number of runs, at least 1; a smaller number traps.
    public static func conflicts(upTo attempts: Int) -> RetryPolicy {
        precondition(attempts > 0, "attempts is less than 1. Pass 1 or more.")
        return RetryPolicy(attempts: attempts)
    }

    func allows(attempt: Int, after error: any Error) -> Bool { attempt < attempts && Self.isConflict(error) }

    private static func isConflict(_ error: any Error) -> Bool {
        switch error {
        case let error as SaveError:
            error.code == .conflict && !error.conflicts.contains(where: \.isOfNamedVersion)
                || error.code == .notCommitted || isConcurrencyConflict(error.databaseError)
        case let error as FetchError: isConcurrencyConflict(error.databaseError)
        case let error as HistoryError: isConcurrencyConflict(error.databaseError)
        case let error as PostgresError: isConcurrencyConflict(error)
        default: false
        }
    }

    // Of another name than `isConflict`: the overload for any error would be chosen for one that is not optional.
    private static func isConcurrencyConflict(_ error: PostgresError?) -> Bool {
        error?.isConcurrencyConflict == true
    }
}
