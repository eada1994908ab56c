import Foundation
import Howdah
import TestSupport

/// Random values of every attribute type, with the edges more often than chance would bring them.
struct RandomValues {
    var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    static let strings = [
        "", "a", "é", "e\u{301}", "Ångström", "A\u{30A}", "ﬁ", "👩‍👩‍👧", "\u{1F1E6}", "' OR 1=1 --", "\\", "%_*?",
        "\u{1}\t\n",
        "İıßς", "zz", "Zz", "\u{FFFD}\u{10FFFF}",
    ]

    static let dates = [
        0, -0.000_000_5, 0.123_456_5, 1e9, -6.3e10, 2.5e11, 0.000_000_499_9, -1_234_567.891_234_56,
    ].map {
        Date(timeIntervalSinceReferenceDate: $0)
    }

    static let decimals = [
        "0", "1", "-1", "0.1", "99999999999999999999999999999999999999",
        "-0.00000000000000000000000000000000000001",
        "12345678901234567890.123456789012345678", "1e100", "NaN", "1.10",
    ].map { Decimal(string: $0) ?? .nan }

    static let doubles: [Double] = [
        0, -0.0, 1, -1.5, .nan, .infinity, -.infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude, 0.1,
        1e17, 5,
    ]

    mutating func integer<T: FixedWidthInteger>(_ type: T.Type = T.self) -> T {
        generator.chance(50)
            ? generator.pick([0, 1, T.max, T.min, 5]) : T(truncatingIfNeeded: generator.next())
    }

    mutating func double() -> Double {
        generator.chance(60) ? generator.pick(Self.doubles) : .random(in: -1e6...1e6, using: &generator)
    }

    mutating func float() -> Float {
        generator.chance(60)
            ? generator.pick([0, -0.0, 0.1, .nan, .infinity, .leastNonzeroMagnitude, 16_777_216])
            : .random(in: -1e6...1e6, using: &generator)
    }

    mutating func decimal() -> Decimal {
        generator.chance(60)
            ? generator.pick(Self.decimals)
            : Decimal(Int64.random(in: .min ... .max, using: &generator))
                / generator.pick([1, 8, 1000, 100_000])
    }

    mutating func string() -> String {
        generator.pick(Self.strings) + (generator.chance(50) ? "" : generator.pick(Self.strings))
    }

    mutating func date() -> Date {
        generator.chance(50)
            ? generator.pick(Self.dates)
            : Date(timeIntervalSinceReferenceDate: .random(in: -1e10...1e10, using: &generator))
    }

    mutating func data() -> Data {
        Data((0..<generator.pick([0, 1, 40])).map { _ in UInt8(truncatingIfNeeded: generator.next()) })
    }

    mutating func uuid() -> UUID {
        UUID(uuid: (integer(), integer(), 0, 255, 1, 2, 3, integer(), 4, 5, 6, 7, 8, 9, 0, integer()))
    }

    mutating func url() -> URL {
        let base = URL(string: "https://example.org/a/b")
        return generator.pick([
            URL(string: "https://example.org/?q=%C3%A9#x"), URL(string: "c?d=1", relativeTo: base),
            URL(string: "mailto:a@example.org"), URL(string: "urn:x:\(integer(UInt8.self))"), base,
        ]) ?? URL(fileURLWithPath: "/")
    }

    mutating func optional<T>(_ make: (inout RandomValues) -> T) -> T? {
        generator.chance(30) ? nil : make(&self)
    }

    mutating func spot() -> Spot { Spot(x: double(), y: optional { $0.float() }) }

    mutating func place() -> Place {
        Place(name: optional { $0.string() }, spot: optional { $0.spot() }, seenAt: optional { $0.date() })
    }

    mutating func box() -> Box {
        Box(width: integer(), tag: optional { $0.string() }, spot: optional { $0.spot() })
    }
}
