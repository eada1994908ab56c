/// Reads JSON from an untrusted source: the depth is bounded, and what RFC 8259 does not allow is refused with
/// its position.
package struct JSONValueReader {
    private let bytes: [UInt8]
    private let maximumDepth: Int
    private let mayRepeatNames: Bool
    private var position = 0
    private var offsets: [Int]?

    /// The reason why bytes are not JSON.
    package struct Fault: Error {
        package let message: String
        /// The byte, from 0.
        package let offset: Int
        /// The word in place of a value. The message is without it, because documents may hold personal data.
        package var word: String?
        /// Whether they are JSON that is nested too deeply.
        package var isTooDeep = false
    }

    private init(_ bytes: [UInt8], _ maximumDepth: Int, mayRepeatNames: Bool = false, offsets: [Int]? = nil) {
        self.bytes = bytes
        self.maximumDepth = maximumDepth
        self.mayRepeatNames = mayRepeatNames
        self.offsets = offsets
    }

    /// Returns the one value in the bytes, in which no name comes twice in an object.
    package static func read(_ bytes: [UInt8], maximumDepth: Int) throws(Fault) -> JSONValue {
        var reader = JSONValueReader(bytes, maximumDepth)
        return try reader.whole()
    }

    /// Returns the one value in the bytes, with names that come twice, and where every value and every name begins,
    /// in the order of the text.
    package static func readWithOffsets(
        _ bytes: [UInt8], maximumDepth: Int
    ) throws(Fault) -> (value: JSONValue, offsets: [Int]) {
        var reader = JSONValueReader(bytes, maximumDepth, mayRepeatNames: true, offsets: [])
        return (try reader.whole(), reader.offsets ?? [])
    }

    private mutating func whole() throws(Fault) -> JSONValue {
        let value = try value(1)
        skipSpace()
        guard position == bytes.count else { throw fault("there is text after the end of the value") }
        return value
    }

    private func fault(_ message: String) -> Fault { Fault(message: message, offset: position) }

    private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte = peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    private mutating func value(_ depth: Int) throws(Fault) -> JSONValue {
        skipSpace()
        offsets?.append(position)
        guard let byte = peek else {
            throw fault(position == 0 ? "the text is empty" : "the text ends too early")
        }
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

    private mutating func word(_ word: StaticString, _ value: JSONValue) throws(Fault) -> JSONValue {
        let start = position
        for index in 0..<word.utf8CodeUnitCount {
            guard peek == word.utf8Start[index] else { throw noValue(start) }
            position += 1
        }
        guard isAtEndOfWord else { throw noValue(start) }
        return value
    }

    private var isAtEndOfWord: Bool { peek.map { Self.ends.contains($0) } ?? true }

    private static let ends = Array(" \t\r\n,]}:\"[{".utf8)

    /// The fault for a word or a character in place of a value.
    private func noValue(_ start: Int) -> Fault {
        let word = bytes[start...].prefix(40).prefix { !Self.ends.contains($0) }
        if word.isEmpty { return Fault(message: "a value is missing", offset: start) }
        return Fault(
            message: "the value is not valid JSON", offset: start,
            word: String(decoding: word, as: UTF8.self))
    }

    private func checkDepth(_ depth: Int) throws(Fault) {
        guard depth > maximumDepth else { return }
        throw Fault(
            message: "the value is nested deeper than \(maximumDepth) levels", offset: position,
            isTooDeep: true)
    }

    private mutating func array(_ depth: Int) throws(Fault) -> JSONValue {
        try checkDepth(depth)
        position += 1
        var elements: [JSONValue] = []
        skipSpace()
        if peek == UInt8(ascii: "]") {
            position += 1
            return .array(elements)
        }
        while true {
            elements.append(try value(depth + 1))
            skipSpace()
            guard let byte = peek, byte == UInt8(ascii: ",") || byte == UInt8(ascii: "]") else {
                throw fault("a comma or ] is missing")
            }
            position += 1
            if byte == UInt8(ascii: "]") { return .array(elements) }
        }
    }

    private mutating func object(_ depth: Int) throws(Fault) -> JSONValue {
        try checkDepth(depth)
        position += 1
        var members: [JSONValue.Member] = []
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
            guard peek == UInt8(ascii: "\"") else {
                throw fault("a key in quotes is missing")
            }
            let start = position
            offsets?.append(start)
            let name = try text()
            guard mayRepeatNames || names.insert(name).inserted else {
                throw Fault(message: JSONValue.repetition, offset: start)
            }
            skipSpace()
            guard peek == UInt8(ascii: ":") else { throw fault("the colon after a key is missing") }
            position += 1
            members.append(
                JSONValue.Member(name: String(decoding: name, as: UTF8.self), value: try value(depth + 1)))
            skipSpace()
            guard let byte = peek, byte == UInt8(ascii: ",") || byte == UInt8(ascii: "}") else {
                throw fault("a comma or } is missing")
            }
            position += 1
            if byte == UInt8(ascii: "}") { return .object(members) }
        }
    }

    private mutating func number() throws(Fault) -> JSONValue {
        let start = position
        if peek == UInt8(ascii: "-") { position += 1 }
        if peek == UInt8(ascii: "0") { position += 1 } else { try digits(start) }
        if peek == UInt8(ascii: ".") {
            position += 1
            try digits(start)
        }
        if peek == UInt8(ascii: "e") || peek == UInt8(ascii: "E") {
            position += 1
            if peek == UInt8(ascii: "+") || peek == UInt8(ascii: "-") { position += 1 }
            try digits(start)
        }
        guard isAtEndOfWord else { throw noValue(start) }
        return .number(String(decoding: bytes[start..<position], as: UTF8.self))
    }

    /// At least one digit.
    private mutating func digits(_ start: Int) throws(Fault) {
        let first = position
        while let byte = peek, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
        guard position > first else { throw noValue(start) }
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
                throw Fault(message: "a string has no closing quote", offset: start)
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
        guard let byte = peek else { throw fault("the text ends inside an escape sequence") }
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
                guard peek == UInt8(ascii: "u") else { throw halfAPair }
                position += 1
                let low = try unit()
                guard (0xDC00...0xDFFF).contains(low) else { throw halfAPair }
                value = 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00)
            }
            guard let scalar = Unicode.Scalar(value) else { throw halfAPair }
            result += Array(String(Character(scalar)).utf8)
        default: throw fault("the escape sequence after \\ in a string is unknown")
        }
    }

    private var halfAPair: Fault { fault("an escape sequence has only half of a surrogate pair") }

    private mutating func unit() throws(Fault) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = peek, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw fault("four hexadecimal digits are missing after \\u")
            }
            value = value << 4 | UInt32(digit)
            position += 1
        }
        return value
    }
}
