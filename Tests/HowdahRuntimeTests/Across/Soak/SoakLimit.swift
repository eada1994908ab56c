import TestSupport

/// How long a call may take.
enum SoakLimit: Sendable {
    case none
    /// The call's own `timeout`.
    case timeout(Duration)
    /// Its task is cancelled after this time.
    case cancellation(Duration)

    /// By when the call has to be over, but for the grace, if it began just now; nil if it may take any time.
    var duration: Duration? {
        switch self {
        case .none: nil
        case .timeout(let duration), .cancellation(let duration): duration
        }
    }

    /// The time for `perform(timeout:)`.
    var timeout: Duration? {
        guard case .timeout(let duration) = self else { return nil }
        return duration
    }

    /// One of the limits; streams have no timeout.
    static func random(using generator: inout SeededGenerator, for action: SoakAction) -> SoakLimit {
        // Most units take some milliseconds, and much longer in trouble.
        let longest = generator.chance(50) ? 25_000 : 1_200_000
        let duration = Duration.microseconds(Int.random(in: 100...longest, using: &generator))
        switch Int.random(in: 0..<100, using: &generator) {
        case 0..<40: return .none
        case 40..<70:
            if case .stream = action { return .cancellation(duration) }
            return .timeout(duration)
        default: return .cancellation(duration)
        }
    }
}
