import PQClient
import Testing

/// Dates as ISO 8601.
@Suite struct TimestampTextTests {
    @Test(
        arguments: [
            (0, "2000-01-01T00:00:00.000000Z"), (-1, "1999-12-31T23:59:59.999999Z"),
            (-211_813_488_000_000_000, "-004713-11-24T00:00:00.000000Z"),
            (9_223_371_331_199_999_999, "+294276-12-31T23:59:59.999999Z"),
            (5_097_600_000_000, "2000-02-29T00:00:00.000000Z"),
            (-63_113_904_000_000_000, "0000-01-01T00:00:00.000000Z"), (.max, "infinity"), (.min, "-infinity"),
        ] as [(Int64, String)]) func textsAndMoments(moment: Int64, text: String)
    {
        #expect(Timestamp.iso8601(moment) == text)
        #expect(Timestamp.microseconds(iso8601: text) == moment)
    }

    @Test func otherZonesAndFewerDigits() {
        #expect(Timestamp.microseconds(iso8601: "2000-01-01T01:30:00.5+01:30") == 500_000)
        #expect(Timestamp.microseconds(iso8601: "1999-12-31T23:00:00-01:00") == 0)
    }

    @Test(arguments: [
        "", "2000-01-01", "2000-01-01T00:00:00", "2000-02-30T00:00:00Z", "2001-02-29T00:00:00Z",
        "2000-13-01T00:00:00Z",
        "2000-01-01T24:00:00Z", "2000-01-01T00:60:00Z", "2000-01-01T00:00:00.1234567Z",
        "2000-01-01T00:00:00.Z",
        "2000-01-01T00:00:00Zx", "+294277-01-01T00:00:00Z", "-004714-01-01T00:00:00Z",
        "99999-01-01T00:00:00Z",
    ]) func whatIsNoMomentIsNil(text: String) {
        #expect(Timestamp.microseconds(iso8601: text) == nil)
    }
}
