import PQClient

/// The observation of one call of `perform`, which may run its body several times.
///
/// It is a value of the call, because an object would be allocated for each. The receiver of its events is passed to
/// it, because a reference would be counted.
struct UnitWatch: Sendable {
    private let isolation: Isolation?
    private let start: MonotonicTime
    fileprivate let span: (any StoreSpan)?
    private var runs = 0
    /// The time of the waits that ended, in nanoseconds.
    private var queueTime: Int64 = 0
    private var waitingSince: MonotonicTime?
    /// The time at which the call failed, if it ends later, because observers are notified of the reason first.
    private var failure: MonotonicTime?

    /// Begins to observe a call; nil if nothing observes the store.
    static func begin(_ store: Store, _ isolation: Isolation?) -> UnitWatch? {
        store.observed.isOn ? UnitWatch(store.observed, isolation) : nil
    }

    private init(_ events: Unmanaged<StoreEvents>, _ isolation: Isolation?) {
        self.isolation = isolation
        start = .now
        span = events._withUnsafeGuaranteedRef {
            $0.begin(.unitOfWork(isolation: isolation?.rawValue ?? "none"))
        }
        waitingSince = start
    }

    private mutating func endWait(at now: MonotonicTime) {
        if let since = waitingSince { queueTime += now.nanoseconds(since: since) }
        waitingSince = nil
    }

    fileprivate mutating func beginRun() {
        runs += 1
        endWait(at: .now)
    }

    /// Adds a wait for a connection inside the body, in nanoseconds.
    fileprivate mutating func addWait(_ time: Int64) { queueTime += time }

    /// Notes that the call waits again for a thread and a connection.
    mutating func beginWait() { waitingSince = .now }

    /// Notes that the call failed. What observers take until its end is not its time.
    mutating func noteEnd() {
        let now = MonotonicTime.now
        endWait(at: now)
        failure = now
    }

    /// Returns the report that the body is about to run again.
    func retryReport(_ attempt: Int, after error: any Error) -> UnitReport {
        UnitReport(
            event: .retry(.init(work: .unitOfWork, attempt: attempt, error: error)), span: span, end: nil)
    }

    /// Notes the end of the call, and returns the report of it; nil if nothing needs more than its numbers.
    mutating func end(_ error: (any Error)?, to events: Unmanaged<StoreEvents>) -> UnitReport? {
        let now = failure ?? MonotonicTime.now
        endWait(at: now)
        let time = now.nanoseconds(since: start)
        let isRecorded = events._withUnsafeGuaranteedRef {
            error == nil && $0.recordUnit(isolation, time, queueTime: queueTime)
        }
        if isRecorded { return nil }
        return UnitReport(
            event: .unitOfWork(
                .init(
                    isolation: isolation, duration: .nanoseconds(time), queueTime: .nanoseconds(queueTime),
                    runs: runs, error: error)),
            span: span, end: .some(error))
    }
}

/// An event of a call of `perform`, which is passed on when the call can wait for its observers.
struct UnitReport: Sendable {
    fileprivate let event: StoreEvent
    fileprivate let span: (any StoreSpan)?
    /// The error of the end; nil if the call goes on.
    fileprivate let end: (any Error)??

    /// Passes the event on, in the span of the call.
    func pass(to events: StoreEvents) {
        span.run { events.emit(event) }
        if let end { span?.end(end) }
    }
}

extension UnitWatch? {
    /// Runs the body once, in the span of the call if it has one.
    mutating func run<T>(_ body: () throws -> T) rethrows -> T {
        if self == nil { return try body() }
        self?.beginRun()
        let chain = ThreadChain.current
        let waited = chain.waited
        defer {
            self?.addWait(chain.waited - waited)
            // A wait counts for the innermost unit.
            chain.waited = waited
        }
        guard let span = self?.span else { return try body() }
        return try span.run(body)
    }
}
