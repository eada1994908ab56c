/// A lexer that cuts a predicate format into tokens.
struct PredicateLexer {
    let format: String
    let bytes: [UInt8]
    var position = 0

    init(format: String) {
        self.format = format
        bytes = Array(format.utf8)
    }

    /// Returns the byte after `offset` more bytes, or 0 beyond the end.
    func peek(_ offset: Int = 0) -> UInt8 {
        position + offset < bytes.count ? bytes[position + offset] : 0
    }

    func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    func error(
        _ code: PredicateTreeError.Code, _ message: String, _ range: Range<Int>, argument: Int? = nil
    ) -> PredicateTreeError {
        PredicateTreeError(
            code, message, format: format, position: range.lowerBound, token: text(range), argument: argument)
    }

    mutating func next() throws(PredicateTreeError) -> PredicateToken {
        skipSpace()
        let start = position
        guard position < bytes.count else { return PredicateToken(kind: .end, range: start..<start) }
        let kind = try kind()
        return PredicateToken(kind: kind, range: start..<position)
    }

    private mutating func kind() throws(PredicateTreeError) -> PredicateToken.Kind {
        let start = position
        switch peek() {
        case UInt8(ascii: "\""), UInt8(ascii: "'"): return .string(try string())
        case UInt8(ascii: "%"): return try placeholder()
        case UInt8(ascii: "#"): return .escapedWord(try prefixedWord())
        case UInt8(ascii: "@"): return .atWord(try prefixedWord())
        case UInt8(ascii: "$"): return .variable(try prefixedWord())
        case UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try number())
        case UInt8(ascii: ".") where peek(1).isDigit: return .number(try number())
        default: break
        }
        if let word = word() { return .word(word) }
        if let symbol = symbol() { return .symbol(symbol) }
        position += scalar(at: start).length
        throw error(
            .syntax, "Unexpected character. Put text in quotes, or pass it as %@.",
            start..<position)
    }

    private mutating func skipSpace() {
        while position < bytes.count {
            let (scalar, length) = scalar(at: position)
            guard scalar.properties.isWhitespace else { return }
            position += length
        }
    }

    /// Returns the scalar that begins at `offset`.
    ///
    /// The offset is a border between scalars, because a String's UTF-8 is valid.
    private func scalar(at offset: Int) -> (scalar: Unicode.Scalar, length: Int) {
        guard bytes[offset] >= 0x80 else { return (Unicode.Scalar(bytes[offset]), 1) }
        let length = bytes[offset] >= 0xF0 ? 4 : bytes[offset] >= 0xE0 ? 3 : 2
        let end = min(offset + length, bytes.count)
        return (text(offset..<end).unicodeScalars.first ?? "\u{FFFD}", end - offset)
    }

    private mutating func word() -> String? {
        let start = position
        while position < bytes.count {
            let (scalar, length) = scalar(at: position)
            guard scalar.isKeyPart(first: position == start) else { break }
            position += length
        }
        return position == start ? nil : text(start..<position).howdahNormalized
    }

    private mutating func prefixedWord() throws(PredicateTreeError) -> String {
        let start = position
        position += 1
        if let word = word() { return word }
        throw error(.syntax, "Expected a name after this character. Add a name.", start..<position)
    }

    private mutating func symbol() -> String? {
        for length in [2, 1] where position + length <= bytes.count {
            let candidate = text(position..<position + length)
            if Self.symbols.contains(candidate) {
                position += length
                return candidate
            }
        }
        return nil
    }

    private static let symbols: Set<String> = [
        "(", ")", "{", "}", "[", "]", ",", ".", ":", ":=", "=", "==", "=<", "=>", "<", "<=", "<>", "<<", ">",
        ">=",
        ">>", "!", "!=", "&", "&&", "|", "||", "+", "-", "*", "**", "/", "^", "~",
    ]
}

extension Unicode.Scalar {
    /// Returns true if a key may contain the scalar: letters, the underscore, and digits except in front.
    func isKeyPart(first: Bool) -> Bool {
        guard value >= 0x80 else {
            switch UInt8(truncatingIfNeeded: value) {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "_"):
                return true
            case UInt8(ascii: "0")...UInt8(ascii: "9"): return !first
            default: return false
            }
        }
        return first ? properties.isXIDStart : properties.isXIDContinue
    }
}

extension UInt8 {
    var isDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }
}
