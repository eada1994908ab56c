import Foundation
package import HowdahModel
import PQClient

/// The conversions between generic values, attribute types and columns.
package enum ValueCoding {
    /// The value of a URI attribute without a value.
    static let blankURL = URL(string: "about:blank") ?? URL(fileURLWithPath: "/")

    /// Returns the URL of a stored string; nil if the unchanged string is not one.
    ///
    /// If Foundation would encode the string, it is not a URL here. It would be written back as another text,
    /// and a search for the read value would not find it.
    static func url(_ text: String) -> URL? {
        guard let url = URL(string: text, encodingInvalidCharacters: false), url.absoluteString == text else {
            return nil
        }
        return url
    }

    /// Returns the value as an attribute of `type` holds it, or nil if it cannot.
    static func fit(_ value: Value, to type: AttributeType) -> Value? {
        if value.isNull { return .null }
        switch type.kind {
        case .integer16: return Int16._make(value)?._value
        case .integer32: return Int32._make(value)?._value
        case .integer64: return Int64._make(value)?._value
        case .decimal: return Decimal._make(value)?._value
        case .double: return Double._make(value)?._value
        case .float: return Float._make(value)?._value
        case .string: return String._make(value)?._value
        case .boolean: return Bool._make(value)?._value
        case .date: return Date._make(value)?._value
        case .binary: return Data._make(value)?._value
        case .transformable:
            return value.refusalOfTransformer == nil ? Data._make(value)?._value : value
        case .uuid: return UUID._make(value)?._value
        case .uri: return URL._make(value)?._value
        case .undefined: return value
        case .array(let element):
            guard case .array(let elements) = value else { return nil }
            let fitting = elements.compactMap { $0.isNull ? nil : fit($0, to: element) }
            return fitting.count == elements.count ? .array(fitting) : nil
        case .composite(let description):
            guard case .composite(let elements) = value, elements.count == description.elements.count else {
                return nil
            }
            var fitting: [Value] = []
            for (element, attribute) in zip(elements, description.elements) {
                guard let one = fit(element, to: attribute.type) else { return nil }
                fitting.append(one)
            }
            return .composite(fitting)
        }
    }

    /// Returns the generic value of a program's value, for an attribute of `type`.
    ///
    /// `path` goes into a composite whose present value is `old`.
    package static func value(
        _ given: Any?, for type: AttributeType, path: ArraySlice<String>, in old: Value
    ) -> Value? {
        if let name = path.first {
            guard case .composite(let description) = type.kind,
                let index = description.elements.firstIndex(where: { $0.name == name })
            else { return nil }
            var elements: [Value] =
                if case .composite(let present) = old { present } else {
                    Array(repeating: .null, count: description.elements.count)
                }
            let element = description.elements[index]
            guard let inner = value(given, for: element.type, path: path.dropFirst(), in: elements[index])
            else {
                return nil
            }
            elements[index] = inner
            return .composite(elements)
        }
        guard let given = unwrapped(given) else { return .null }
        if let attribute = given as? any AttributeValue { return fit(attribute._value, to: type) }
        if let value = given as? Value { return fit(value, to: type) }
        if case .composite(let description) = type.kind, let members = given as? [String: Any] {
            // A misspelt name would otherwise clear the element it was meant for.
            let names = Set(description.elements.map(\.name))
            guard names.isSuperset(of: members.keys) else { return nil }
            var elements: [Value] = []
            for element in description.elements {
                guard let one = value(members[element.name], for: element.type, path: [], in: .null) else {
                    return nil
                }
                elements.append(one)
            }
            return .composite(elements)
        }
        if case .array(let element) = type.kind, let members = given as? [Any] {
            let elements = members.compactMap { value($0, for: element, path: [], in: .null) }
            return elements.count == members.count ? fit(.array(elements), to: type) : nil
        }
        if let number = given as? any BinaryInteger, let exact = Int64(exactly: number) {
            return fit(.int(exact), to: type)
        }
        return nil
    }

    /// Returns a value as ``value(_:for:path:in:)`` does, through the attribute's transformer if one is
    /// registered.
    ///
    /// The bytes themselves are accepted, too.
    package static func value(
        _ given: Any?, for attribute: AttributeLayout, path: ArraySlice<String>, in old: Value
    )
        -> Value?
    {
        if let transformer = attribute.transformer, path.isEmpty, let given = unwrapped(given),
            let stored = transformer.stored(given)
        {
            return stored
        }
        return value(given, for: attribute.type, path: path, in: old)
    }

    /// Returns the part of a program's value that does not fit: a member of a composite, or an element of an
    /// array.
    ///
    /// If the whole does not fit, it is nil.
    static func misfit(_ given: Any?, _ type: AttributeType, _ path: ArraySlice<String> = []) -> String? {
        if let name = path.first {
            guard case .composite(let description) = type.kind else {
                return "anything at '\(name)', because the attribute has no elements"
            }
            guard let element = description.elements.first(where: { $0.name == name }) else {
                return "a member '\(name)', because its elements are "
                    + description.elements.map(\.name).joined(separator: ", ")
            }
            return misfit(given, element.type, path.dropFirst())
        }
        guard let given = unwrapped(given) else { return nil }
        if let range = type.kind.integers, let number = integer(given), !range.contains(number) {
            return "a number outside the range \(range.lowerBound) to \(range.upperBound)"
        }
        if case .composite(let description) = type.kind, let members = given as? [String: Any] {
            for (name, member) in members.sorted(by: { $0.key < $1.key }) {
                guard let element = description.elements.first(where: { $0.name == name }) else {
                    return misfit(nil, type, [name])
                }
                if value(member, for: element.type, path: [], in: .null) == nil {
                    return "\(misfit(member, element.type) ?? typeName(of: member)) as '\(name)'"
                }
            }
        }
        if case .array(let element) = type.kind, let members = given as? [Any] {
            for (index, member) in members.enumerated() {
                guard let one = unwrapped(member) else { return "nil at index \(index)" }
                if value(one, for: element, path: [], in: .null) == nil {
                    return "\(typeName(of: one)) (\(shortened(one))) at index \(index)"
                }
            }
        }
        return nil
    }

    /// The name of the attribute type, or of that of the element at a path into a composite.
    static func wantedName(_ type: AttributeType, _ path: ArraySlice<String> = []) -> String {
        guard let name = path.first,
            let element = type.composite?.elements.first(where: { $0.name == name })
        else { return type.name }
        return wantedName(element.type, path.dropFirst())
    }

    /// Returns the program's name for the type of its value.
    static func typeName(of given: Any?) -> String {
        guard let given = unwrapped(given) else { return "nil" }
        return (given as? Value)?.kindName ?? "\(Swift.type(of: given))"
    }

    private static func integer(_ given: Any) -> Int64? {
        if case .int(let number) = given as? Value { return number }
        return (given as? any BinaryInteger).map { Int64(clamping: $0) }
    }

    private static func shortened(_ given: Any) -> String {
        let text = "\(given)"
        return text.count > 40 ? text.prefix(40) + "…" : text
    }

    /// Returns the value in the program's form, which is Sendable; `path` goes into a composite.
    package static func any(
        _ value: Value, of type: AttributeType, path: ArraySlice<String> = []
    ) -> (any Sendable)? {
        switch value {
        case .null: return nil
        case .bool(let flag): return flag
        case .int(let number): return number
        case .double(let number): return number
        case .float(let number): return number
        case .decimal(let number): return number
        case .string(let text): return text
        case .date(let date): return date
        case .data(let data): return data
        case .uuid(let uuid): return uuid
        case .uri(let url): return url
        case .reference(let reference): return reference
        case .array(let elements): return elements.compactMap { any($0, of: type.element ?? .undefined) }
        case .composite(let elements):
            guard case .composite(let description) = type.kind else { return nil }
            if let name = path.first {
                guard let index = description.elements.firstIndex(where: { $0.name == name }) else {
                    return nil
                }
                return any(elements[index], of: description.elements[index].type, path: path.dropFirst())
            }
            var members: [String: any Sendable] = [:]
            for (element, attribute) in zip(elements, description.elements) {
                members[attribute.name] = any(element, of: attribute.type)
            }
            return members
        }
    }

    /// Returns the value of an optional hidden in `Any?`.
    static func unwrapped(_ given: Any?) -> Any? {
        guard let given else { return nil }
        if let optional = given as? any AnyOptional { return unwrapped(optional.anyWrapped) }
        return given
    }
}

private protocol AnyOptional {
    var anyWrapped: Any? { get }
}

extension Optional: AnyOptional {
    var anyWrapped: Any? { map { $0 as Any } }
}

extension AttributeType.Kind {
    /// The numbers that an integer attribute accepts; nil for other types.
    fileprivate var integers: ClosedRange<Int64>? {
        switch self {
        case .integer16: Int64(Int16.min)...Int64(Int16.max)
        case .integer32: Int64(Int32.min)...Int64(Int32.max)
        default: nil
        }
    }
}
