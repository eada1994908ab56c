import Foundation

/// The values that have no literal in a format; they are printed as `CAST(literal, 'type')`.
///
/// Apple's parser knows NSDate and NSDecimalNumber; the others are additions.
package enum PredicateCast {
    /// Returns the text inside `CAST( )` for a value.
    ///
    /// It is nil if the value has a literal or cannot be printed.
    static func printed(_ value: Value) -> String? {
        switch value {
        case .date(let date):
            let seconds = date.timeIntervalSinceReferenceDate
            return seconds.isFinite ? "\(seconds), 'NSDate'" : "'\(seconds)', 'NSDate'"
        case .decimal(let decimal): return "'\(decimal)', 'NSDecimalNumber'"
        case .float(let float): return "'\(float)', 'Float'"
        case .double(let double): return double.isFinite ? nil : "'\(double)', 'Double'"
        case .uuid(let uuid): return "'\(uuid.uuidString)', 'UUID'"
        case .data(let data): return "'\(data.base64EncodedString())', 'Data'"
        case .uri(let url): return "\(PredicateTree.quoted(url.absoluteString)), 'URL'"
        case .reference(let reference):
            return "\(PredicateTree.quoted("\(reference.key) \(reference.entity)")), 'ObjectID'"
        case .null, .bool, .int, .string, .composite, .array: return nil
        }
    }

    static func value(of operand: Value, as type: String) -> Value? {
        switch (operand, type) {
        case (.int(let seconds), "NSDate"): return date(Double(seconds))
        case (.double(let seconds), "NSDate"): return date(seconds)
        case (.string(let text), "NSDate"): return Double(text).flatMap(date)
        case (.int(let integer), "NSDecimalNumber"): return .decimal(Decimal(integer))
        case (.string(let text), "NSDecimalNumber"): return decimal(text)
        case (.string(let text), "Float"): return Float(text).map { .float($0) }
        case (.string(let text), "Double"): return Double(text).map { .double($0) }
        case (.string(let text), "UUID"): return UUID(uuidString: text).map { .uuid($0) }
        case (.string(let text), "Data"): return Data(base64Encoded: text).map { .data($0) }
        case (.string(let text), "URL"): return URL(string: text).map { .uri($0) }
        case (.string(let text), "ObjectID"):
            let parts = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let key = Int64(parts[0]) else { return nil }
            return .reference(ObjectReference(key: key, entity: String(parts[1])))
        case (.array, "Array"): return operand
        default: return nil
        }
    }

    private static func date(_ seconds: Double) -> Value? {
        .date(Date(timeIntervalSinceReferenceDate: seconds).howdahRoundedToMicroseconds)
    }

    private static func decimal(_ text: String) -> Value? {
        // Decimal(string:) reads a prefix; only a text that is a number as a whole counts.
        guard text == "NaN" || Double(text) != nil else { return nil }
        return text == "NaN" ? .decimal(.nan) : Decimal(string: text).map { .decimal($0) }
    }
}
