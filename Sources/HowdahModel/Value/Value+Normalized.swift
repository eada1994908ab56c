public import Foundation

extension Value {
    /// The value in its stored form: strings in NFC, dates in whole microseconds, URLs absolute.
    ///
    /// Elements of arrays and composites are normalized too.
    package var normalized: Value {
        switch self {
        case .string(let string): .string(string._howdahNormalized)
        case .date(let date): .date(date._howdahRoundedToMicroseconds)
        case .uri(let url): .uri(url.absoluteURL)
        case .composite(let elements): .composite(elements.map(\.normalized))
        case .array(let elements): .array(elements.map(\.normalized))
        default: self
        }
    }
}

extension String {
    /// The string in NFC. Generated code calls this; it is not API.
    @inlinable public var _howdahNormalized: String {
        // A byte below 0xCC cannot begin a scalar from U+0300 on, and all scalars before are their own NFC.
        let isPlain = utf8.withContiguousStorageIfAvailable { $0.allSatisfy { $0 < 0xCC } }
        return isPlain ?? false ? self : _howdahComposed
    }

    @usableFromInline var _howdahComposed: String { precomposedStringWithCanonicalMapping }

    /// The string in NFC, the form of every string in an object or a predicate.
    package var howdahNormalized: String { _howdahNormalized }
}

extension Date {
    /// The date in whole microseconds. Generated code calls this; it is not API.
    public var _howdahRoundedToMicroseconds: Date {
        let interval = timeIntervalSinceReferenceDate
        // Outside, a Double cannot tell microseconds apart (and would not fit the integer below).
        guard interval.magnitude < 9e12 else { return self }
        let whole = interval.rounded(.towardZero)
        let fraction = ((interval - whole) * 1e6).rounded(.toNearestOrAwayFromZero)
        let total = Int64(whole) * 1_000_000 + Int64(fraction)
        if total.magnitude <= 1 << 53 { return Date(timeIntervalSinceReferenceDate: Double(total) / 1e6) }
        // Beyond 2^53 the division would round twice; the same split as when a row is read.
        let (seconds, rest) = total.quotientAndRemainder(dividingBy: 1_000_000)
        return Date(timeIntervalSinceReferenceDate: Double(seconds) + Double(rest) / 1e6)
    }

    /// The date in whole microseconds, rounded half away from zero: the precision of PostgreSQL's
    /// `timestamptz`.
    package var howdahRoundedToMicroseconds: Date { _howdahRoundedToMicroseconds }
}
