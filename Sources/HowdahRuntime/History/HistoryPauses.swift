import PQClient

/// The pauses between the readings of a stream.
struct HistoryPauses: Sendable {
    private static let quietTime = Duration.seconds(30)
    private static let longest = Duration.seconds(1)
    private static let advanceTime = Duration.seconds(60)
    /// The time in which a failover ends. A standby that answers for longer is a wrong address.
    private static let failoverTime = Duration.seconds(60)

    private let polling: Duration
    private var lastChange = ContinuousClock.now
    private var lastAdvance: ContinuousClock.Instant?
    private var idle: Duration
    private var flushing = Duration.milliseconds(5)
    private var failure: Duration?
    private var firstFailure: ContinuousClock.Instant?

    init(polling: Duration) {
        self.polling = polling
        idle = polling
    }

    /// Begins again after a batch was delivered.
    mutating func reset() {
        lastChange = .now
        idle = polling
        flushing = .milliseconds(5)
    }

    /// Begins again with the pauses until an edge is flushed.
    mutating func beginFlushing() { flushing = .milliseconds(5) }

    /// Indicates whether the last reading failed.
    var isFailing: Bool { failure != nil }

    mutating func succeed() { (failure, firstFailure) = (nil, nil) }

    /// - Throws: The error, if the next reading will not succeed either.
    mutating func fail(_ error: any Error, at now: ContinuousClock.Instant = .now) throws {
        guard Self.isTransient(error) else { throw error }
        let first = firstFailure ?? now
        if (error as? HistoryError)?.isOfStandby == true, now - first > Self.failoverTime { throw error }
        firstFailure = first
        backOff()
    }

    /// Makes the next pauses longer.
    mutating func backOff(upTo limit: Duration = .seconds(5)) {
        failure = failure.map { min($0 * 2, limit) } ?? .milliseconds(50)
    }

    /// Returns the pause before the next reading; nil for none.
    mutating func next(isUnflushed: Bool, isAtEnd: Bool) -> Duration? {
        if let failure { return failure }
        guard isAtEnd else { return nil }
        if isUnflushed {
            defer { flushing = min(flushing * 2, polling) }
            return min(flushing, polling)
        }
        flushing = .milliseconds(5)
        if .now - lastChange > Self.quietTime { idle = min(idle * 2, max(Self.longest, polling)) }
        return idle
    }

    /// Returns a Boolean value that indicates whether a consumer without batches moves on now: at once, and then each
    /// minute. A program may run for less than that.
    mutating func mayAdvance() -> Bool {
        if let lastAdvance, .now - lastAdvance <= Self.advanceTime { return false }
        lastAdvance = .now
        return true
    }

    /// Returns a Boolean value that indicates whether the same reading may succeed later.
    static func isTransient(_ error: any Error) -> Bool {
        switch error {
        case let error as HistoryError: error.isTransient
        case let error as StoreError: error.code == .overloaded || error.code == .deadlineExceeded
        case let error as FetchError:
            error.databaseError.map { HistoryError(.database, "", databaseError: $0).isTransient } ?? false
        case let error as PostgresError: HistoryError(.database, "", databaseError: error).isTransient
        default: false
        }
    }
}
