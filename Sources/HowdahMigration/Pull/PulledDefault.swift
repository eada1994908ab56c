internal import Foundation
internal import HowdahModel

/// Defaults that are constants, as PostgreSQL prints them.
enum PulledDefault {
    /// The value; nil for expressions that are evaluated for each row.
    static func value(_ expression: String, of type: AttributeType) -> Value? {
        guard let text = constant(expression) else { return nil }
        let value: Value? =
            switch type {
            case .integer16, .integer32, .integer64: Int64(text).map(Value.int)
            case .decimal: Double(text) == nil ? nil : Decimal(string: text).map(Value.decimal)
            case .double: Double(text).map(Value.double)
            case .float: Float(text).map(Value.float)
            case .boolean: ["true": .bool(true), "false": .bool(false)][text]
            case .string: .string(text)
            case .uuid: UUID(uuidString: text).map(Value.uuid)
            default: nil
            }
        return value.flatMap { type.accepts($0) ? $0 : nil }
    }

    static func isNull(_ expression: String) -> Bool { expression.uppercased().hasPrefix("NULL") }

    /// The text of `'x'::text`, `42`, `(-1)` or `true`.
    private static func constant(_ expression: String) -> String? {
        var text = Substring(expression)
        if text.hasPrefix("'") {
            text = text.dropFirst()
            var result = ""
            while let character = text.popFirst() {
                if character == "'" {
                    guard text.first == "'" else { break }
                    text = text.dropFirst()
                }
                result.append(character)
            }
            // After the closing quote only a cast may follow.
            return text.isEmpty || (text.hasPrefix("::") && !text.contains("(")) ? result : nil
        }
        if let cast = text.range(of: "::") { text = text[..<cast.lowerBound] }
        while text.hasPrefix("("), text.hasSuffix(")") { text = text.dropFirst().dropLast() }
        return text == "true" || text == "false" || Double(text) != nil ? String(text) : nil
    }
}
