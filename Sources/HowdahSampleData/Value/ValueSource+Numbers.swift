import Foundation
import HowdahModel

extension ValueSource {
    static func integers(_ attribute: AttributeDescription, _ least: Int64, _ greatest: Int64) -> Self {
        var (low, high) = (least, greatest)
        if case .int(let minimum) = attribute.minimum { low = max(low, minimum) }
        if case .int(let maximum) = attribute.maximum { high = min(high, maximum) }
        guard low <= high else { return Self([]) { _ in nil } }
        let (near, far) = (max(low, min(0, high)), min(high, max(low, 0) &+ 1000))
        let (least, greatest) = (low, high)
        return Self([0, low, high, 1, -1, low &+ 1, high &- 1].map(Value.int)) { random in
            switch random.below(8) {
            case 0: .int(random.pick([least, greatest]))
            case 1: .int(random.integer(least, greatest))
            default: .int(random.integer(near, max(near, far)))
            }
        }
    }

    static func decimals(_ attribute: AttributeDescription) -> Self {
        let texts = [
            "0", "99999999999999999999999999999999999999", "-0.00000000000000000000000000000000000001", "1",
            "-1",
            "0.1", "1.10", "12345678901234567890.123456789012345678", "1e100", "-1e-100",
        ]
        let low: Decimal? = if case .decimal(let value)? = attribute.minimum { value } else { nil }
        let high: Decimal? = if case .decimal(let value)? = attribute.maximum { value } else { nil }
        let edges = texts.compactMap { Decimal(string: $0) } + [low, high, .nan].compactMap { $0 }
        return Self(edges.map(Value.decimal)) { random in
            let digits = Decimal(random.integer(0, random.chance(1, in: 4) ? 999_999_999_999_999 : 99_999))
            let scale = random.below(4)
            let positive = Decimal(sign: .plus, exponent: -scale, significand: digits)
            switch (low, high) {
            case (let low?, let high?):
                let part = Decimal(sign: .plus, exponent: -3, significand: Decimal(random.below(1001)))
                return .decimal(low + (high - low) * part)
            case (let low?, nil): return .decimal(low + positive)
            case (nil, let high?): return .decimal(high - positive)
            case (nil, nil): return .decimal(random.chance(1, in: 4) ? -positive : positive)
            }
        }
    }

    static func doubles(_ attribute: AttributeDescription) -> Self {
        let low: Double? = if case .double(let value)? = attribute.minimum { value } else { nil }
        let high: Double? = if case .double(let value)? = attribute.maximum { value } else { nil }
        let edges: [Double] =
            [
                0, -0.0, .infinity, -.infinity, .nan, .leastNonzeroMagnitude, .greatestFiniteMagnitude,
                -.greatestFiniteMagnitude, 0.1, .leastNormalMagnitude, 0.1.nextUp, 9_007_199_254_740_991,
            ] + [low, high].compactMap { $0 }
        return Self(edges.map(Value.double)) { .double($0.number(low, high)) }
    }

    static func floats(_ attribute: AttributeDescription) -> Self {
        let low: Float? = if case .float(let value)? = attribute.minimum { value } else { nil }
        let high: Float? = if case .float(let value)? = attribute.maximum { value } else { nil }
        let edges: [Float] =
            [
                0, -0.0, .infinity, -.infinity, .nan, .leastNonzeroMagnitude, .greatestFiniteMagnitude,
                -.greatestFiniteMagnitude, 0.1, .leastNormalMagnitude, 16_777_216,
            ] + [low, high].compactMap { $0 }
        return Self(edges.map(Value.float)) {
            .float(Float($0.number(low.map(Double.init), high.map(Double.init))))
        }
    }
}

extension SplitMix64 {
    fileprivate mutating func number(_ low: Double?, _ high: Double?) -> Double {
        let part = fraction()
        // Few digits look like what people enter.
        let distance = chance(1, in: 2) ? part * 1e6 : (part * 1e5).rounded() / 100
        switch (low, high) {
        case (let low?, let high?): return low * (1 - part) + high * part
        case (let low?, nil): return low + distance
        case (nil, let high?): return high - distance
        case (nil, nil): return chance(1, in: 4) ? -distance : distance
        }
    }
}
