/// Reads JSON that anybody may have written: the depth is bounded, and what RFC 8259 does not allow is refused with
/// its position.
struct GraphJSONReader {
    private let bytes: [UInt8]
    private let maximumDepth: Int
    private var position = 0

    /// Why bytes are no JSON.
    struct Fault: Error {
        let message: String
        /// The byte, from 0.
        let offset: Int
        /// Whether they are JSON that is nested too deeply.
        var isTooDeep = false
    }

    private init(_ bytes: [UInt8], _ maximumDepth: Int) {
        self.bytes = bytes
        self.maximumDepth = maximumDepth
    }

    /// The one value in the bytes.
    static func read(_ bytes: [UInt8], maximumDepth: Int) throws(Fault) -> GraphJSON {
        var reader = GraphJSONReader(bytes, maximumDepth)
        let value = try reader.value(1)
        reader.skipSpace()
        guard reader.position == bytes.count else { throw reader.fault("something follows the value") }
        return value
    }

    private func fault(_ message: String) -> Fault { Fault(message: message, offset: position) }

    private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte = peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    private mutating func value(_ depth: Int) throws(Fault) -> GraphJSON {
        skipSpace()
        guard let byte = peek else { throw fault("a value is missing") }
        switch byte {
        case UInt8(ascii: "{"): return try object(depth)
        case UInt8(ascii: "["): return try array(depth)
        case UInt8(ascii: "\""): return .string(String(decoding: try text(), as: UTF8.self))
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    private mutating func word(_ word: StaticString, _ value: GraphJSON) throws(Fault) -> GraphJSON {
        for index in 0..<word.utf8CodeUnitCount {
            guard peek == word.utf8Start[index] else { throw fault("a value is expected") }
            position += 1
        }
        return value
    }

    private func checkDepth(_ depth: Int) throws(Fault) {
        guard depth > maximumDepth else { return }
        throw Fault(
            message: "it is nested more than \(maximumDepth) deep", offset: position, isTooDeep: true)
    }

    private mutating func array(_ depth: Int) throws(Fault) -> GraphJSON {
        try checkDepth(depth)
        position += 1
        var elements: [GraphJSON] = []
        skipSpace()
        if peek == UInt8(ascii: "]") {
            position += 1
            return .array(elements)
        }
        while true {
            elements.append(try value(depth + 1))
            skipSpace()
            guard let byte = peek, byte == UInt8(ascii: ",") || byte == UInt8(ascii: "]") else {
                throw fault("',' or ']' is expected")
            }
            position += 1
            if byte == UInt8(ascii: "]") { return .array(elements) }
        }
    }

    private mutating func object(_ depth: Int) throws(Fault) -> GraphJSON {
        try checkDepth(depth)
        position += 1
        var members: [GraphJSON.Member] = []
        // By bytes: strings that differ in normalization only are equal in Swift, and two names in jsonb. Where names are
        // those of properties, `repeatedName` compares as Swift does.
        var names: Set<[UInt8]> = []
        skipSpace()
        if peek == UInt8(ascii: "}") {
            position += 1
            return .object(members)
        }
        while true {
            skipSpace()
            guard peek == UInt8(ascii: "\"") else { throw fault("a member's name is expected") }
            let start = position
            let name = try text()
            guard names.insert(name).inserted else {
                throw Fault(message: GraphJSON.repetition, offset: start)
            }
            skipSpace()
            guard peek == UInt8(ascii: ":") else { throw fault("':' is expected") }
            position += 1
            members.append(
                GraphJSON.Member(name: String(decoding: name, as: UTF8.self), value: try value(depth + 1)))
            skipSpace()
            guard let byte = peek, byte == UInt8(ascii: ",") || byte == UInt8(ascii: "}") else {
                throw fault("',' or '}' is expected")
            }
            position += 1
            if byte == UInt8(ascii: "}") { return .object(members) }
        }
    }

    private mutating func number() throws(Fault) -> GraphJSON {
        let start = position
        func isDigit(_ byte: UInt8?) -> Bool {
            byte.map { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? false
        }
        if peek == UInt8(ascii: "-") { position += 1 }
        guard isDigit(peek) else { throw fault("a value is expected") }
        if peek == UInt8(ascii: "0") { position += 1 } else { while isDigit(peek) { position += 1 } }
        if peek == UInt8(ascii: ".") {
            position += 1
            guard isDigit(peek) else { throw fault("a digit is expected behind the point") }
            while isDigit(peek) { position += 1 }
        }
        if peek == UInt8(ascii: "e") || peek == UInt8(ascii: "E") {
            position += 1
            if peek == UInt8(ascii: "+") || peek == UInt8(ascii: "-") { position += 1 }
            guard isDigit(peek) else { throw fault("a digit is expected in the exponent") }
            while isDigit(peek) { position += 1 }
        }
        return .number(String(decoding: bytes[start..<position], as: UTF8.self))
    }

    /// The UTF-8 of a string, without its quotes and escapes.
    private mutating func text() throws(Fault) -> [UInt8] {
        let start = position
        position += 1
        var result: [UInt8] = []
        while true {
            let run = position
            while let byte = peek, byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
                position += 1
            }
            result += bytes[run..<position]
            guard let byte = peek else {
                throw Fault(message: "a string does not end", offset: start)
            }
            guard byte >= 0x20 else { throw fault("a control character in a string is not escaped") }
            position += 1
            if byte == UInt8(ascii: "\"") { break }
            try escape(into: &result)
        }
        guard String(validating: result, as: UTF8.self) != nil else {
            throw Fault(message: "a string is not UTF-8", offset: start)
        }
        return result
    }

    private mutating func escape(into result: inout [UInt8]) throws(Fault) {
        guard let byte = peek else { throw fault("an escape is cut off") }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): result.append(byte)
        case UInt8(ascii: "b"): result.append(0x08)
        case UInt8(ascii: "f"): result.append(0x0C)
        case UInt8(ascii: "n"): result.append(0x0A)
        case UInt8(ascii: "r"): result.append(0x0D)
        case UInt8(ascii: "t"): result.append(0x09)
        case UInt8(ascii: "u"):
            var value = try unit()
            if (0xD800...0xDBFF).contains(value), peek == UInt8(ascii: "\\") {
                position += 1
                guard peek == UInt8(ascii: "u") else { throw fault("half of a surrogate pair is missing") }
                position += 1
                let low = try unit()
                guard (0xDC00...0xDFFF).contains(low) else {
                    throw fault("half of a surrogate pair is missing")
                }
                value = 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00)
            }
            guard let scalar = Unicode.Scalar(value) else {
                throw fault("half of a surrogate pair is missing")
            }
            result += Array(String(Character(scalar)).utf8)
        default: throw fault("there is no such escape")
        }
    }

    private mutating func unit() throws(Fault) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = peek, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw fault("four hexadecimal digits are expected")
            }
            value = value << 4 | UInt32(digit)
            position += 1
        }
        return value
    }
}
