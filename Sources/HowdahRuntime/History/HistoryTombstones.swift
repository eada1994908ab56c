import Foundation
import HowdahModel
import PQClient

/// The preserved values of the deleted objects of one row of the history.
struct HistoryTombstones {
    private let objects: [JSONValue]
    private let slots: [String: EntityLayout.Slot]

    /// Creates the values from the JSON of a row; nil if it has none.
    init?(_ text: String?, _ layout: EntityLayout?) {
        guard let text,
            case .array(let objects)? = try? JSONValueReader.read(Array(text.utf8), maximumDepth: 100)
        else { return nil }
        self.objects = objects
        slots = Dictionary(
            (layout?.slots ?? []).map { ($0.renamingIdentifier ?? $0.name, $0) },
            uniquingKeysWith: { first, _ in first })
    }

    /// The values of one object, by the names of the model; nil if they were erased.
    subscript(place: Int) -> [String: Value]? {
        guard objects.indices.contains(place), let members = objects[place].members else { return nil }
        var values: [String: Value] = [:]
        for member in members {
            let slot = slots[member.name]
            var type: AttributeType?
            if case .attribute(let attribute)? = slot?.kind { type = attribute.type }
            values[slot?.name ?? member.name] = member.value.attributeValue(of: type)
        }
        return values
    }
}

extension JSONValue {
    /// Returns the value of an attribute in the JSON of the server; as text if its type is unknown.
    fileprivate func attributeValue(of type: AttributeType?) -> Value {
        if type?.kind == .transformable, text == nil, kindName != JSONValue.null.kindName {
            var bytes: [UInt8] = []
            append(to: &bytes)
            return .data(Data(bytes))
        }
        return switch self {
        case .null: .null
        case .bool(let value): .bool(value)
        case .number(let text): Self.number(text, type?.kind)
        case .string(let text): Self.text(text, type?.kind) ?? .string(text)
        case .array(let elements): .array(elements.map { $0.attributeValue(of: type?.element) })
        case .object(let members): .composite(composite(members, type?.composite))
        }
    }

    private static func number(_ text: String, _ kind: AttributeType.Kind?) -> Value {
        let value: Value? =
            switch kind {
            case .decimal: Decimal(string: text, locale: nil).map(Value.decimal)
            case .double: Double(text).map(Value.double)
            case .float: Float(text).map(Value.float)
            default: Int64(text).map(Value.int) ?? Double(text).map(Value.double)
            }
        return value ?? .string(text)
    }

    private static func text(_ text: String, _ kind: AttributeType.Kind?) -> Value? {
        switch kind {
        case .decimal: text == "NaN" ? .decimal(.nan) : Decimal(string: text, locale: nil).map(Value.decimal)
        case .double: Double(text).map(Value.double)
        case .float: Float(text).map(Value.float)
        case .integer16, .integer32, .integer64: Int64(text).map(Value.int)
        case .uuid: UUID(uuidString: text).map(Value.uuid)
        case .uri: URL(string: text).map(Value.uri)
        case .date: Timestamp.microseconds(json: text).map { .date(Timestamp.date(of: $0)) }
        case .binary, .transformable: bytes(text).map(Value.data)
        default: nil
        }
    }

    /// Returns the bytes of the server's hexadecimal text, or of Base64.
    private static func bytes(_ text: String) -> Data? {
        guard text.hasPrefix("\\x") else { return Data(base64Encoded: text) }
        let digits = Array(text.utf8.dropFirst(2))
        guard digits.count % 2 == 0 else { return nil }
        var bytes = Data(capacity: digits.count / 2)
        for place in stride(from: 0, to: digits.count, by: 2) {
            guard let byte = UInt8(String(decoding: digits[place...place + 1], as: UTF8.self), radix: 16)
            else {
                return nil
            }
            bytes.append(byte)
        }
        return bytes
    }

    /// Appends the text of a JSON column.
    private func append(to bytes: inout [UInt8]) {
        switch self {
        case .null: bytes += "null".utf8
        case .bool(let value): bytes += (value ? "true" : "false").utf8
        case .number(let text): bytes += text.utf8
        case .string(let text): Self.appendQuoted(text, to: &bytes)
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            for (place, element) in elements.enumerated() {
                if place > 0 { bytes.append(UInt8(ascii: ",")) }
                element.append(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            for (place, member) in members.enumerated() {
                if place > 0 { bytes.append(UInt8(ascii: ",")) }
                Self.appendQuoted(member.name, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                member.value.append(to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    private func composite(_ members: [Member], _ description: CompositeDescription?) -> [Value] {
        guard let description else { return members.map { $0.value.attributeValue(of: nil) } }
        return description.elements.map { element in
            members.first { $0.name == element.renamingIdentifier ?? element.name }
                .map { $0.value.attributeValue(of: element.type) } ?? .null
        }
    }
}
