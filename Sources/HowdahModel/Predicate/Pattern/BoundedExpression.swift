internal import Foundation
internal import Synchronization

/// A regular expression of ICU with a budget for each match.
///
/// ICU backtracks, so that a match may take exponential time. It reports its progress every 10,000 states.
struct BoundedExpression: Sendable {
    /// The budget in reports of ICU. After four times as many, ICU ends a match itself, without a result.
    private static let reports = 1_000
    /// For expressions whose single states take long.
    private static let time = Duration.seconds(1)

    private let expression: NSRegularExpression

    /// Creates the expression from a regular expression that whole texts have to match.
    init(_ regex: String) throws {
        // By itself, because a ")(" could close and open the group around it. Foundation refuses an empty one.
        if !regex.isEmpty { _ = try NSRegularExpression(pattern: regex) }
        expression = try NSRegularExpression(pattern: "\\A(?:\(regex))\\z")
    }

    /// Returns true if the whole of a text matches.
    func matches(_ text: String) throws(PatternBudgetExceeded) -> Bool {
        let end = ContinuousClock.now + Self.time
        // The block is Sendable on some platforms, and runs on this thread on all of them.
        let progress = Mutex(Progress())
        expression.enumerateMatches(
            in: text, options: [.reportProgress, .reportCompletion],
            range: NSRange(location: 0, length: text.utf16.count)
        ) { result, flags, stop in
            let isOver = progress.withLock { progress in
                if result != nil { progress.isMatch = true }
                if flags.contains(.progress) { progress.reports += 1 }
                // An expression that outgrows ICU's stack ends with an internal error.
                if flags.contains(.internalError) || progress.reports > Self.reports
                    || ContinuousClock.now > end
                {
                    progress.isExceeded = true
                }
                return progress.isMatch || progress.isExceeded
            }
            if isOver { stop.pointee = true }
        }
        let outcome = progress.withLock { $0 }
        if outcome.isMatch { return true }
        if outcome.isExceeded { throw PatternBudgetExceeded() }
        return false
    }

    private struct Progress {
        var reports = 0
        var isMatch = false
        var isExceeded = false
    }
}

/// The error if a regular expression exceeds its budget on a text.
package struct PatternBudgetExceeded: Error {
    package init() {}
}
