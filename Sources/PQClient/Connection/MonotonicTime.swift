import Foundation

/// A point in time of a clock that is never set, for durations that are measured for each statement.
///
/// `ContinuousClock` counts in 128 bits, which costs five times the instructions.
package struct MonotonicTime: Sendable {
    private let nanoseconds: Int64

    /// A time before all others, for variables that are set later.
    static let distantPast = MonotonicTime(nanoseconds: 0)

    package static var now: MonotonicTime {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return MonotonicTime(nanoseconds: Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec))
    }

    /// Returns the nanoseconds since an earlier time.
    package func nanoseconds(since start: MonotonicTime) -> Int64 { nanoseconds &- start.nanoseconds }
}
