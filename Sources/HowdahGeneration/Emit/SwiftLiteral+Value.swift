internal import Foundation
internal import HowdahModel

extension SwiftLiteral {
    /// The expression that is `value` where a `Value` is expected; descriptions make UUIDs, URLs and decimals of text.
    static func value(_ value: Value) -> String {
        switch value {
        case .null, .reference: ".null"
        case .bool(let flag): ".bool(\(flag))"
        case .int(let number): ".int(\(number))"
        case .double(let number): ".double(\(floating(number)))"
        case .float(let number): ".float(\(floating(number)))"
        case .decimal(let number):
            number.isNaN ? ".decimal(Foundation.Decimal.nan)" : ".string(\(string(number.description)))"
        case .string(let text): ".string(\(string(text)))"
        case .date(let date):
            ".date(Foundation.Date(timeIntervalSinceReferenceDate: \(floating(date.timeIntervalSinceReferenceDate))))"
        case .data(let bytes): ".data(Foundation.Data([\(bytes.map(String.init).joined(separator: ", "))]))"
        case .uuid(let uuid): ".string(\(string(uuid.uuidString)))"
        case .uri(let url): ".string(\(string(url.absoluteString)))"
        case .array(let values): ".array([\(values.map(Self.value).joined(separator: ", "))])"
        case .composite(let values): ".composite([\(values.map(Self.value).joined(separator: ", "))])"
        }
    }

    /// The expression that is `value` in its own Swift type; nil where there is no short one.
    static func typed(_ value: Value) -> String? {
        switch value {
        case .bool(let flag): "\(flag)"
        case .int(let number): "\(number)"
        case .double(let number): floating(number)
        case .float(let number): floating(number)
        case .string(let text): string(text)
        default: nil
        }
    }

    private static func floating<T: BinaryFloatingPoint & CustomStringConvertible>(_ number: T) -> String {
        if number.isNaN { return ".nan" }
        if number.isInfinite { return number < 0 ? "-.infinity" : ".infinity" }
        return number.description
    }
}
