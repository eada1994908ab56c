import Foundation
import HowdahModel

/// The values that model files write as text.
enum AttributeText {
    /// The value, or nil where the text is none of that type.
    ///
    /// Numbers occur as `0.0` and `NO` for integers, and as `0` for Booleans: what an attribute was before its type
    /// was changed in the editor. Dates are seconds since 2001.
    static func value(_ text: String, of type: AttributeType) -> Value? {
        let value: Value? =
            switch type {
            case .string: .string(text)
            case .boolean: number(text).flatMap { $0 == 0 ? .bool(false) : $0 == 1 ? .bool(true) : nil }
            case .integer16, .integer32, .integer64: integer(text).map(Value.int)
            case .decimal: decimal(text).map(Value.decimal)
            case .double: number(text).flatMap { finite($0, text) }.map(Value.double)
            case .float:
                (Float(text) ?? number(text).map { Float($0) }).flatMap { finite($0, text) }.map(Value.float)
            case .date: Double(text).map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
            case .uuid: UUID(uuidString: text).map(Value.uuid)
            case .uri: text.isEmpty ? nil : URL(string: text).map(Value.uri)
            default: nil
            }
        return value.flatMap { type.accepts($0) ? $0 : nil }
    }

    private static func number(_ text: String) -> Double? {
        switch text.uppercased() {
        case "YES", "TRUE": 1
        case "NO", "FALSE": 0
        default: Double(text)
        }
    }

    /// Nil for a number that its type has no room for, which would be read as infinity.
    private static func finite<T: BinaryFloatingPoint>(_ number: T, _ text: String) -> T? {
        number.isInfinite && !text.lowercased().contains("inf") ? nil : number
    }

    private static func integer(_ text: String) -> Int64? {
        Int64(text) ?? number(text).flatMap(Int64.init(exactly:))
    }

    private static func decimal(_ text: String) -> Decimal? {
        // Decimal(string:) reads as far as it can: "3 apples" would be 3.
        let isNumber = Double(text) != nil
        let value = isNumber ? Decimal(string: text) : number(text).map { Decimal($0) }
        return value.flatMap { $0.isNaN && !text.lowercased().contains("nan") ? nil : $0 }
    }
}
