internal import Foundation
internal import PQClient

/// Repeats a transaction that could not have its locks, until a budget is spent.
struct LockRetry {
    let budget: Duration
    /// What is with the store where nothing was done, as a sentence without its end.
    let aftermath: String
    /// Whoever cancels does not wait for the next try.
    let canceller: Canceller

    /// - Throws: `MigrationError` with `lockTimeout`; what `body` throws for other reasons.
    func run<T>(_ body: () throws -> T) throws -> T {
        let end = ContinuousClock.now.advanced(by: budget)
        var pause = 0.1
        while true {
            do {
                return try body()
            } catch let error as PostgresError where error.isOfLocks {
                guard ContinuousClock.now < end else {
                    throw MigrationError(
                        .lockTimeout,
                        "The tables could not be locked within \(budget): a transaction of another program "
                            + "holds one of them; end it, or try again with a longer budget. \(aftermath)",
                        underlying: error)
                }
                // Not in step with others who wait likewise.
                canceller.pause(for: .seconds(pause * Double.random(in: 0.5...1)))
                pause = min(10, pause * 2)
            }
        }
    }
}

extension PostgresError {
    /// Whether the same again may do.
    var isOfLocks: Bool {
        sqlState == SQLState.lockNotAvailable || sqlState == SQLState.deadlockDetected
    }
}
