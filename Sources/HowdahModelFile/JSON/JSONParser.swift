/// Reads JSON with the lines that things are on, which decoders do not tell.
///
/// Source: RFC 8259.
struct JSONParser {
    private let bytes: [UInt8]
    private var position = 0
    private var line = 1

    /// Models nest composite types, which nest little.
    private static let maximumDepth = 100

    /// - Throws: ``ModelFileError`` with `malformed` and the line, or `tooLarge` for a text that nests too deep.
    static func node(of text: String) throws(ModelFileError) -> JSONNode {
        var parser = JSONParser(bytes: Array(text.utf8))
        let node = try parser.value(depth: 0)
        parser.skipSpace()
        if parser.position < parser.bytes.count {
            throw parser.malformed("there is text after the end of the model")
        }
        return node
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private func malformed(_ what: String) -> ModelFileError {
        ModelFileError(
            .malformed, "The file is no JSON: \(what); restore it, or export the model again.", line: line)
    }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\n"): line += 1
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): break
            default: return
            }
            position += 1
        }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        skipSpace()
        guard next == byte else { return false }
        position += 1
        return true
    }

    private mutating func value(depth: Int) throws(ModelFileError) -> JSONNode {
        skipSpace()
        guard depth <= Self.maximumDepth else {
            throw ModelFileError(.tooLarge, "The file nests deeper than any model.", line: line)
        }
        let start = line
        switch next {
        case UInt8(ascii: "{")?: return JSONNode(content: .object(try members(depth: depth)), line: start)
        case UInt8(ascii: "[")?: return JSONNode(content: .array(try elements(depth: depth)), line: start)
        case UInt8(ascii: "\"")?: return JSONNode(content: .string(try string()), line: start)
        case nil: throw malformed("it ends too early")
        default: return JSONNode(content: try word(), line: start)
        }
    }

    private mutating func members(depth: Int) throws(ModelFileError) -> [JSONNode.Member] {
        position += 1
        var result: [JSONNode.Member] = []
        if take(UInt8(ascii: "}")) { return result }
        repeat {
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw malformed("a key in quotes is missing") }
            let start = line
            let key = try string()
            guard take(UInt8(ascii: ":")) else { throw malformed("the colon after a key is missing") }
            result.append(JSONNode.Member(key: key, line: start, value: try value(depth: depth + 1)))
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "}")) else { throw malformed("a comma or } is missing") }
        return result
    }

    private mutating func elements(depth: Int) throws(ModelFileError) -> [JSONNode] {
        position += 1
        var result: [JSONNode] = []
        if take(UInt8(ascii: "]")) { return result }
        repeat { result.append(try value(depth: depth + 1)) } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "]")) else { throw malformed("a comma or ] is missing") }
        return result
    }

    private mutating func word() throws(ModelFileError) -> JSONNode.Content {
        let start = position
        while let byte = next, !" \t\r\n,]}:\"[{".utf8.contains(byte) { position += 1 }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        switch text {
        case "true": return .boolean(true)
        case "false": return .boolean(false)
        case "null": return .null
        case "": throw malformed("a value is missing")
        default:
            guard text.isJSONNumber else { throw malformed("\"\(text.prefix(40))\" is no value") }
            return .number(text)
        }
    }

    private mutating func string() throws(ModelFileError) -> String {
        position += 1
        var result: [UInt8] = []
        while let byte = next {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: result, as: UTF8.self)
            case UInt8(ascii: "\\"): result += String(try escaped()).utf8
            case 0..<0x20: throw malformed("a text has a line break or another control character in it")
            default: result.append(byte)
            }
        }
        throw malformed("a text is never closed")
    }

    private mutating func escaped() throws(ModelFileError) -> Character {
        let byte = next ?? 0
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Character(Unicode.Scalar(byte))
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            var units = [try unit()]
            if UTF16.isLeadSurrogate(units[0]), next == UInt8(ascii: "\\") {
                position += 1
                guard next == UInt8(ascii: "u") else { break }
                position += 1
                units.append(try unit())
            }
            if let text = String(validating: units, as: UTF16.self), let character = text.first,
                text.count == 1
            {
                return character
            }
        default: break
        }
        throw malformed("an escape after \\ in a text is none")
    }

    private mutating func unit() throws(ModelFileError) -> UInt16 {
        let end = min(position + 4, bytes.count)
        let digits = String(decoding: bytes[position..<end], as: UTF8.self)
        guard digits.utf8.count == 4, digits.first?.isHexDigit == true, let unit = UInt16(digits, radix: 16)
        else { throw malformed("four hexadecimal digits are missing after \\u") }
        position = end
        return unit
    }
}

extension String {
    /// Whether JSON has such a number.
    fileprivate var isJSONNumber: Bool {
        wholeMatch(of: /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?/) != nil
    }
}
