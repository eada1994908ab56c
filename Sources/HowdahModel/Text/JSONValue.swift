/// JSON as it was written: numbers keep their spelling, and members their order.
///
/// Not `JSONDocument`, whose numbers are Decimals: an Integer 64, a Double and 50 digits in a `jsonb` column all
/// have to come back as they were.
package indirect enum JSONValue: Sendable {
    case null
    case bool(Bool)
    case number(String)
    case string(String)
    case array([JSONValue])
    case object([Member])

    package struct Member: Sendable {
        package let name: String
        package let value: JSONValue

        package init(name: String, value: JSONValue) {
            self.name = name
            self.value = value
        }
    }

    /// The kind of value, for messages, which never contain the value itself.
    package var kindName: String {
        switch self {
        case .null: "null"
        case .bool: "a Boolean"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }

    /// The members of an object; nil for everything else.
    package var members: [Member]? { if case .object(let members) = self { members } else { nil } }

    /// A member's name that equals an earlier one, as Swift compares strings; nil where there is none.
    ///
    /// The reader compares bytes, because `jsonb` does.
    package var repeatedName: String? {
        guard let members, members.count > 1 else { return nil }
        var names: Set<String> = []
        return members.first { !names.insert($0.name).inserted }?.name
    }

    /// The message about such a name.
    package static let repetition = "an object has two members of the same name"

    /// The text of a string; nil for everything else.
    package var text: String? { if case .string(let text) = self { text } else { nil } }

    /// Appends a string in quotes; only what must be escaped is, and U+007F.
    package static func appendQuoted(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 0x0A: bytes.append(contentsOf: "\\n".utf8)
            case 0x0D: bytes.append(contentsOf: "\\r".utf8)
            case 0x09: bytes.append(contentsOf: "\\t".utf8)
            case ..<0x20, 0x7F:
                let hexadecimal = String(byte, radix: 16)
                bytes.append(contentsOf: (hexadecimal.count == 1 ? "\\u000" : "\\u00").utf8)
                bytes.append(contentsOf: hexadecimal.utf8)
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
