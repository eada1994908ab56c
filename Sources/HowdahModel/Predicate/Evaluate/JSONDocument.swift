package import Foundation

/// The content of a `jsonb` attribute, for key paths of predicates.
package indirect enum JSONDocument: Hashable, Sendable {
    /// JSON's null, and any missing value.
    case null
    case bool(Bool)
    case number(Decimal)
    case string(String)
    case array([JSONDocument])
    case object([String: JSONDocument])

    /// Creates a document from JSON; nil if the bytes are not JSON.
    package init?(_ data: Data) {
        guard let document = try? JSONDecoder().decode(JSONDocument.self, from: data) else { return nil }
        self = document
    }

    /// The value of a name; ``null`` in anything but an object.
    package subscript(_ key: String) -> JSONDocument {
        if case .object(let members) = self { members[key] ?? .null } else { .null }
    }

    /// The value for comparisons: arrays and objects are neither nil nor equal to any value.
    ///
    /// Arrays contain their members.
    var value: Value {
        switch self {
        case .null: .null
        case .bool(let flag): .bool(flag)
        case .number(let number): .decimal(number)
        case .string(let text): .string(text.howdahNormalized)
        case .array(let members): .composite([.array(members.map(\.value))])
        case .object: .composite([])
        }
    }

    /// Creates a document from a constant of a predicate. If JSON cannot hold the value, it is nil.
    package init?(_ value: Value) {
        switch value {
        case .null: self = .null
        case .bool(let flag): self = .bool(flag)
        case .int(let number): self = .number(Decimal(number))
        case .decimal(let number) where !number.isNaN: self = .number(number)
        case .double(let number):
            if let exact = number.shortestDecimal { self = .number(exact) } else { return nil }
        case .float(let number): self.init(.double(Double(number)))
        case .string(let text): self = .string(text)
        case .uri(let url): self = .string(url.absoluteString)
        default: return nil
        }
    }

    /// The JSON text.
    package var text: String {
        switch self {
        case .null: "null"
        case .bool(let flag): flag ? "true" : "false"
        case .number(let number): number.description
        case .string(let text): Self.quoted(text)
        case .array(let elements): "[" + elements.map(\.text).joined(separator: ",") + "]"
        case .object(let members):
            "{"
                + members.sorted { $0.key < $1.key }.map { "\(Self.quoted($0)):\($1.text)" }
                .joined(separator: ",") + "}"
        }
    }

    private static func quoted(_ text: String) -> String {
        var bytes: [UInt8] = []
        JSONValue.appendQuoted(text, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension JSONDocument: Decodable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let flag = try? container.decode(Bool.self) {
            self = .bool(flag)
        } else if let number = try? container.decode(Decimal.self) {
            self = .number(number)
        } else if let text = try? container.decode(String.self) {
            self = .string(text)
        } else if let elements = try? container.decode([JSONDocument].self) {
            self = .array(elements)
        } else {
            self = .object(try container.decode([String: JSONDocument].self))
        }
    }
}

extension JSONDocument: PredicateSubject {
    package var predicateIdentity: ObjectReference? { nil }
    package func predicateOperand(forKey key: String) -> PredicateOperand? { .document(self[key]) }
}
