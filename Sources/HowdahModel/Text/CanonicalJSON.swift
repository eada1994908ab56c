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

    static let maximumDepth = 512

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
        var bytes: [UInt8] = []
        write(to: &bytes, indent: "")
        return String(decoding: bytes, as: UTF8.self)
    }

    private func write(to result: inout [UInt8], indent: String) {
        let inner = indent + "  "
        switch self {
        case .object(let object):
            let keys = object.keys.sorted { $0.unicodeScalars.lexicographicallyPrecedes($1.unicodeScalars) }
            Self.writeList(keys, "{", "}", to: &result, indent: indent) { key, result in
                JSONValue.appendQuoted(key.precomposed, to: &result)
                result += ": ".utf8
                object[key]?.write(to: &result, indent: inner)
            }
        case .array(let array):
            Self.writeList(array, "[", "]", to: &result, indent: indent) { element, result in
                element.write(to: &result, indent: inner)
            }
        case .string(let string): JSONValue.appendQuoted(string.precomposed, to: &result)
        case .integer(let integer): result += String(integer).utf8
        case .boolean(let boolean): result += (boolean ? "true" : "false").utf8
        }
    }

    private static func writeList<T>(
        _ elements: [T], _ open: String, _ close: String, to result: inout [UInt8], indent: String,
        _ body: (T, inout [UInt8]) -> Void
    ) {
        guard !elements.isEmpty else {
            result += (open + close).utf8
            return
        }
        result += open.utf8
        for (position, element) in elements.enumerated() {
            result += (position == 0 ? "\n" : ",\n").utf8
            result += (indent + "  ").utf8
            body(element, &result)
        }
        result += ("\n" + indent + close).utf8
    }
}
