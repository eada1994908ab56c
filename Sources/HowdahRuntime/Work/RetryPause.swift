import Foundation

/// The pauses before the attempts of a unit of work, a save or a batch.
enum RetryPause {
    /// The number of steps by which pauses after a lost deadlock are ahead of the others.
    private static let deadlockHeadStart = 4

    /// Returns the pause before an attempt, counted from 1; none before the second one.
    ///
    /// It doubles with each attempt, with a random part, so that two losers do not meet again.
    static func duration(before attempt: Int) -> Duration {
        if attempt <= 2 { return .zero }
        let longest = min(500.0, 2.0 * Double(1 << min(attempt - 3, 8)))
        return .microseconds(Int(Double.random(in: longest / 4...longest) * 1_000))
    }

    /// Blocks the calling thread for the pause before an attempt.
    static func wait(before attempt: Int) {
        guard attempt > 2 else { return }
        let (seconds, attoseconds) = duration(before: attempt).components
        Thread.sleep(forTimeInterval: Double(seconds) + Double(attoseconds) / 1e18)
    }

    /// Blocks the calling thread before an attempt after a lost deadlock or connection.
    ///
    /// The winner gets time to finish, and two losers do not meet again.
    static func waitAfterDeadlock(before attempt: Int) { wait(before: attempt + deadlockHeadStart) }
}
