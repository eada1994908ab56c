public import Foundation

/// The conversion of `timestamptz`: the server keeps whole microseconds since 2000-01-01 00:00 UTC.
public enum Timestamp {
    /// The server's `infinity`.
    public static let infinity = Int64.max
    /// The server's `-infinity`.
    public static let negativeInfinity = Int64.min

    /// 4714-11-24 BC, the first moment that the server accepts.
    static let earliest: Int64 = -211_813_488_000_000_000
    /// The end of year 294276, the first moment that it refuses.
    static let end: Int64 = 9_223_371_331_200_000_000
    /// The time from 2000-01-01 to Foundation's reference date, 2001-01-01.
    static let referenceOffset: Int64 = 31_622_400_000_000

    /// Returns the server's value for a date, rounded to microseconds, half away from the reference date.
    ///
    /// Infinite intervals become the server's infinities.
    ///
    /// - Throws: ``PostgresError`` with code `invalidValue` if the date is NaN or outside the server's range.
    @inlinable
    public static func microseconds(of date: Date) throws -> Int64 {
        guard let value = exactMicroseconds(of: date) else { throw outOfRange() }
        return value
    }

    /// Returns the date for a server's value.
    ///
    /// `date(of: microseconds(of: x))` is stable: its encoding has the same microseconds.
    public static func date(of microseconds: Int64) -> Date {
        if microseconds == infinity { return Date(timeIntervalSinceReferenceDate: .infinity) }
        let (value, isBelowRange) = microseconds.subtractingReportingOverflow(referenceOffset)
        if isBelowRange { return Date(timeIntervalSinceReferenceDate: -.infinity) }
        if value.magnitude <= 1 << 53 {
            return Date(timeIntervalSinceReferenceDate: Double(value) / 1_000_000)
        }
        // Beyond 2^53 the division would round twice; whole seconds are exact for far longer.
        let (seconds, rest) = value.quotientAndRemainder(dividingBy: 1_000_000)
        return Date(timeIntervalSinceReferenceDate: Double(seconds) + Double(rest) / 1_000_000)
    }

    /// Returns a date in the form that it has after it was stored and read.
    ///
    /// - Throws: ``PostgresError`` with code `invalidValue` if the date is outside the server's range.
    public static func rounded(_ date: Date) throws -> Date {
        self.date(of: try microseconds(of: date))
    }

    @usableFromInline
    static func exactMicroseconds(of date: Date) -> Int64? {
        let interval = date.timeIntervalSinceReferenceDate
        guard interval.isFinite else {
            return interval.isNaN ? nil : (interval > 0 ? infinity : negativeInfinity)
        }
        guard interval.magnitude < 9.3e12 else { return nil }
        // The fraction of a Double is exact, so rounding it alone loses nothing however large the date is.
        let seconds = interval.rounded(.towardZero)
        let fraction = ((interval - seconds) * 1_000_000).rounded(.toNearestOrAwayFromZero)
        let (whole, overflow) = Int64(seconds).multipliedReportingOverflow(by: 1_000_000)
        let (sum, sumOverflow) = whole.addingReportingOverflow(Int64(fraction) + referenceOffset)
        guard !overflow, !sumOverflow, sum >= earliest, sum <= end else { return nil }
        // So far away a Double counts in milliseconds: the last moment reads back as the end itself.
        return min(sum, end - 1)
    }

    @usableFromInline
    static func outOfRange() -> PostgresError {
        PostgresError(
            .invalidValue,
            "The date is outside the range of timestamptz (4714 BC to 294276 AD). Store a date within this range."
        )
    }
}
