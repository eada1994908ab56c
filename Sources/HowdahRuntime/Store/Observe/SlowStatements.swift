import Synchronization

/// The slow statements that were logged during the last minute, so that each text is logged once.
final class SlowStatements: Sendable {
    private static let pause: Duration = .seconds(60)
    /// The number of remembered texts; beyond it, only those of the last minute are kept.
    private static let limit = 1_000

    /// The times by the texts' hash values, because texts can be long.
    private let logged = Mutex<[Int: ContinuousClock.Instant]>([:])

    /// Returns a Boolean value that indicates whether a slow text is logged now.
    func isDue(_ text: String, at now: ContinuousClock.Instant = .now) -> Bool {
        let key = text.hashValue
        return logged.withLock { logged in
            if let last = logged[key], now - last < Self.pause { return false }
            if logged.count >= Self.limit { logged = logged.filter { now - $0.value < Self.pause } }
            guard logged.count < Self.limit else { return false }
            logged[key] = now
            return true
        }
    }
}
