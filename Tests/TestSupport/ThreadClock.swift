import Foundation

/// The processor time of the present thread, which other tests do not lengthen.
package enum ThreadClock {
    package static var now: Duration { time(CLOCK_THREAD_CPUTIME_ID) }

    private static func time(_ clock: clockid_t) -> Duration {
        var time = timespec()
        clock_gettime(clock, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// The processor time of all threads of the process.
    package static var ofProcess: Duration { time(CLOCK_PROCESS_CPUTIME_ID) }

    /// Returns the processor time that `body` takes.
    package static func measure(_ body: () throws -> Void) rethrows -> Duration {
        let start = now
        try body()
        return now - start
    }
}
