import Foundation
import HowdahModel

/// The description of an attribute in words.
struct AttributeWords {
    let attribute: AttributeDescription

    var type: String { Self.name(of: attribute.type) }

    /// The rules, one after another.
    var rules: String {
        var rules: [String] = []
        if !attribute.isOptional { rules.append("required") }
        if attribute.isTransient { rules.append("transient") }
        if let value = attribute.defaultValue { rules.append("default \(Self.text(of: value))") }
        if let value = attribute.minimum { rules.append("at least \(Self.text(of: value))") }
        if let value = attribute.maximum { rules.append("at most \(Self.text(of: value))") }
        if let length = attribute.minimumLength { rules.append("at least \(length) characters") }
        if let length = attribute.maximumLength { rules.append("at most \(length) characters") }
        if let pattern = attribute.regex { rules.append("matches \(pattern)") }
        if !attribute.allowedValues.isEmpty {
            rules.append("one of \(attribute.allowedValues.map(Self.text).joined(separator: ", "))")
        }
        if let expression = attribute.derivationExpression { rules.append("derived from \(expression)") }
        if let name = attribute.renamingIdentifier { rules.append("formerly \(name)") }
        return rules.joined(separator: "; ")
    }

    private static func name(of type: AttributeType) -> String {
        switch type.kind {
        case .undefined: "Undefined"
        case .integer16: "Integer 16"
        case .integer32: "Integer 32"
        case .integer64: "Integer 64"
        case .decimal: "Decimal"
        case .double: "Double"
        case .float: "Float"
        case .string: "String"
        case .boolean: "Boolean"
        case .date: "Date"
        case .binary: "Binary Data"
        case .uuid: "UUID"
        case .uri: "URI"
        case .transformable: "Transformable"
        case .composite(let composite):
            "\(composite.name) (\(composite.elements.map(\.name).joined(separator: ", ")))"
        case .array(let element): "Array of \(name(of: element))"
        }
    }

    private static func text(of value: Value) -> String {
        switch value {
        case .null: "nil"
        case .bool(let value): "\(value)"
        case .int(let value): "\(value)"
        case .double(let value): "\(value)"
        case .float(let value): "\(value)"
        case .decimal(let value): "\(value)"
        case .string(let value): "\"\(value)\""
        case .uuid(let value): "\(value)"
        case .uri(let value): "\(value)"
        case .date(let value): value.formatted(.iso8601)
        default: "\(value)"
        }
    }
}
