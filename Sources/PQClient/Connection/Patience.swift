/// The time that a caller gives a connection to open.
package struct Patience {
    /// The end of the waiting; nil means as long as the configuration's timeouts allow.
    package var deadline: ContinuousClock.Instant?
    /// Indicates whether the caller no longer waits; called up to ten times a second.
    package var isOver: (() -> Bool)?

    /// Lets the caller end the statement that looks for a pooler, until the returned function is called.
    package var cancelling: ((Canceller) -> () -> Void)?

    package init(
        until deadline: ContinuousClock.Instant? = nil, isOver: (() -> Bool)? = nil,
        cancelling: ((Canceller) -> () -> Void)? = nil
    ) {
        self.deadline = deadline
        self.cancelling = cancelling
        self.isOver = isOver
    }

    /// The next time at which to look whether the waiting is over, `limit` at the latest.
    func nextLook(before limit: ContinuousClock.Instant) -> ContinuousClock.Instant {
        let end = deadline.map { min($0, limit) } ?? limit
        return isOver == nil ? end : min(end, .now + .milliseconds(100))
    }

    /// Indicates whether the waiting is over, whatever the timeout of the address.
    var hasEnded: Bool { deadline.map { $0 <= .now } == true || isOver?() == true }
}

extension Duration {
    /// The duration, but at most about 30 years: the clock ends the process for times beyond its range.
    package var bounded: Duration { min(self, .seconds(1_000_000_000)) }
}
