import Foundation
import HowdahModel

extension ValueSource {
    static func dates(_ attribute: AttributeDescription) -> Self {
        let low: Date? = if case .date(let value)? = attribute.minimum { value } else { nil }
        let high: Date? = if case .date(let value)? = attribute.maximum { value } else { nil }
        let seconds: [Double] = [
            0, 978_307_200, -0.000_001, -86_400.123_456, 1_700_000_000.654_321, -62_135_596_800,
            -62_135_596_800.5,
            253_402_300_799.999_999, -12_219_292_801, 951_782_400, -210_866_803_200, 9_224_318_015_999,
        ]
        let edges = seconds.map(Date.init(timeIntervalSince1970:)) + [low, high].compactMap { $0 }
        let century = Int64(100 * 365.25 * 86_400) * 1_000_000
        return Self(edges.map(Value.date)) { random in
            switch (low, high) {
            case (let low?, let high?):
                return .date(low.addingTimeInterval(high.timeIntervalSince(low) * random.fraction()))
            case (let low?, nil): return .date(random.date(low, 0, century / 10))
            case (nil, let high?): return .date(random.date(high, -century / 10, 0))
            case (nil, nil):
                return .date(random.date(Date(timeIntervalSince1970: 0), -century / 5, century * 4 / 5))
            }
        }
    }

    static func bytes(_ isIndexed: Bool) -> Self {
        var random = SplitMix64(seed: 100_000)
        var edges = [Data(), Data(0...255), Data([0])]
        if !isIndexed { edges.insert(Data(random.bytes(100_000)), at: 2) }
        return Self(edges.map(Value.data)) { random in
            let count = random.below(64)
            return .data(Data(random.bytes(count)))
        }
    }

    /// As `jsonb` prints them: what comes back is the same bytes.
    static var documents: Self {
        let edges = [
            "{}", "[]", "null", "0", "true", "\"\"", "-12.50", "123456789012345678901234567890.5",
            "{\"a\": 1, \"bb\": [true, null, \"é 👩‍👩‍👧 \\\"\\\\\\n\"], \"ccc\": {\"d\": {}}}",
        ]
        return Self(edges.map { .data(Data($0.utf8)) }) { random in
            let list = (0..<random.below(4)).map { _ in "\(random.below(100))" }.joined(separator: ", ")
            let text =
                "{\"n\": \(random.below(1_000_000)), \"ok\": \(random.chance(1, in: 2)), \"list\": [\(list)]}"
            return .data(Data(text.utf8))
        }
    }

    static var uuids: Self {
        let texts = [
            "00000000-0000-0000-0000-000000000000", "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF",
            "00000000-0000-0000-0000-000000000001", "80000000-0000-0000-0000-000000000000",
        ]
        return Self(texts.compactMap { UUID(uuidString: $0).map(Value.uuid) }) { random in
            let b = random.bytes(16)
            return .uuid(
                UUID(
                    uuid: (
                        b[0], b[1], b[2], b[3], b[4], b[5], b[6] & 0x0F | 0x40, b[7], b[8] & 0x3F | 0x80,
                        b[9], b[10],
                        b[11], b[12], b[13], b[14], b[15]
                    )))
        }
    }

    static var addresses: Self {
        let texts = [
            "https://example.org/", "about:blank", "https://example.org/?q=%C3%A9&x=%F0%9F%91%A9#part",
            "mailto:someone@example.org", "urn:isbn:0451450523", "file:///tmp/a%20b", "relative/path?x=1",
            "http://user@[2001:db8::1]:8080/a;b=c,d",
            "https://example.org/" + String(repeating: "a", count: 1_000),
            "x-howdah:'quoted'",
        ]
        return Self(texts.compactMap { URL(string: $0).map(Value.uri) }) { random in
            URL(string: "https://example.org/items/\(random.below(1_000_000_000))").map(Value.uri)
        }
    }
}

extension SplitMix64 {
    /// Between `first` and `last` microseconds after `base`.
    fileprivate mutating func date(_ base: Date, _ first: Int64, _ last: Int64) -> Date {
        var microseconds = integer(first, last)
        if chance(1, in: 2) { microseconds -= microseconds % 1_000_000 }
        return base.addingTimeInterval(Double(microseconds) / 1e6)
    }
}
