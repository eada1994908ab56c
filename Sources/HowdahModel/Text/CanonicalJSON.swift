internal import Foundation

/// JSON text that depends on nothing but the value: keys sorted by Unicode scalars, strings in NFC, two spaces
/// of indentation, one key or element per line.
///
/// Foundation's encoder sorts keys by rules that have changed between its versions; checksums must not.
enum CanonicalJSON: Decodable {
    case object([String: CanonicalJSON])
    case array([CanonicalJSON])
    case string(String)
    case integer(Int64)
    case boolean(Bool)

    init(_ value: some Encodable) throws {
        self = try JSONDecoder().decode(Self.self, from: JSONEncoder().encode(value))
    }

    init(from decoder: any Decoder) throws {
        if let object = try? [String: CanonicalJSON](from: decoder) {
            self = .object(object)
        } else if let array = try? [CanonicalJSON](from: decoder) {
            self = .array(array)
        } else {
            let container = try decoder.singleValueContainer()
            if let string = try? container.decode(String.self) {
                self = .string(string)
            } else if let boolean = try? container.decode(Bool.self) {
                self = .boolean(boolean)
            } else {
                self = .integer(try container.decode(Int64.self))
            }
        }
    }

    var text: String {
        var result = ""
        write(to: &result, indent: "")
        return result
    }

    private func write(to result: inout String, indent: String) {
        let inner = indent + "  "
        switch self {
        case .object(let object):
            let keys = object.keys.sorted { $0.unicodeScalars.lexicographicallyPrecedes($1.unicodeScalars) }
            Self.writeList(keys, "{", "}", to: &result, indent: indent) { key, result in
                Self.write(key, to: &result)
                result += ": "
                object[key]?.write(to: &result, indent: inner)
            }
        case .array(let array):
            Self.writeList(array, "[", "]", to: &result, indent: indent) { element, result in
                element.write(to: &result, indent: inner)
            }
        case .string(let string): Self.write(string, to: &result)
        case .integer(let integer): result += String(integer)
        case .boolean(let boolean): result += boolean ? "true" : "false"
        }
    }

    private static func writeList<T>(
        _ elements: [T], _ open: String, _ close: String, to result: inout String, indent: String,
        _ body: (T, inout String) -> Void
    ) {
        guard !elements.isEmpty else {
            result += open + close
            return
        }
        result += open
        for (position, element) in elements.enumerated() {
            result += position == 0 ? "\n" : ",\n"
            result += indent + "  "
            body(element, &result)
        }
        result += "\n" + indent + close
    }

    private static func write(_ string: String, to result: inout String) {
        result += "\""
        for scalar in string.precomposed.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            case "\r": result += "\\r"
            case "\0"..."\u{1F}", "\u{7F}":
                let hex = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
            default: result.unicodeScalars.append(scalar)
            }
        }
        result += "\""
    }
}
