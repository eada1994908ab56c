internal import Foundation
internal import PQClient

/// Repeats a transaction that could not have its locks, until a budget is spent.
struct LockRetry {
    let budget: Duration
    /// How long one try waits.
    let timeout: Duration
    /// What is with the store where nothing was done, as a sentence without its end.
    let aftermath: String
    /// Whoever cancels does not wait for the next try.
    let canceller: Canceller
    /// Is told who is in the way, once for each.
    var observer: MigrationObserver?

    /// What is left of the budget must be worth a try.
    private static let least = Duration.milliseconds(20)

    /// Runs `body` at least once, and again while some of the budget is left; it is told how long it may wait.
    ///
    /// - Throws: `MigrationError` with `lockTimeout`; what `body` throws for other reasons than a ``LockFailure``.
    func run<T>(_ body: (Duration) throws -> T) throws -> T {
        let end = ContinuousClock.now.advanced(by: budget)
        var pause = 0.1
        var tries = 0
        var told: Set<String> = []
        while true {
            do {
                tries += 1
                return try body(max(.milliseconds(1), min(timeout, ContinuousClock.now.duration(to: end))))
            } catch let failure as LockFailure {
                let room = (ContinuousClock.now.duration(to: end) - min(timeout, Self.least)) / .seconds(1)
                guard room > 0 else {
                    throw MigrationError(
                        .lockTimeout,
                        "The tables could not be locked within \(budget.inWords), in \(tries) \(tries == 1 ? "try" : "tries"): "
                            + "\(failure.reason). \(aftermath). End the transaction that holds the lock, or retry with a larger --lock-budget (StoreOptions.migrationLockBudget in a program).",
                        databaseError: failure.databaseError)
                }
                if told.insert(failure.identity).inserted {
                    let left = ContinuousClock.now.duration(to: end)
                    observer?(.lockMissed(reason: failure.reason, left: left))
                }
                // Not in step with others who wait likewise.
                canceller.pause(for: .seconds(min(room, pause * Double.random(in: 0.5...1))))
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
