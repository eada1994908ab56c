extension PredicateLexer {
    /// Reads a quoted string; both quotes are equal, and a placeholder inside is plain text.
    mutating func string() throws(PredicateTreeError) -> String {
        let start = position
        let quote = peek()
        var content: [UInt8] = []
        position += 1
        while position < bytes.count {
            let byte = peek()
            position += 1
            if byte == quote { return String(decoding: content, as: UTF8.self).howdahNormalized }
            if byte == UInt8(ascii: "\\") {
                content.append(contentsOf: String(try escape()).utf8)
            } else {
                content.append(byte)
            }
        }
        throw error(.syntax, "The string has no closing quote. Add the quote.", start..<start + 1)
    }

    /// Returns the scalar of the characters after a backslash.
    private mutating func escape() throws(PredicateTreeError) -> Unicode.Scalar {
        let start = position - 1
        let byte = peek()
        position += 1
        switch byte {
        case UInt8(ascii: "\\"), UInt8(ascii: "'"), UInt8(ascii: "\""): return Unicode.Scalar(byte)
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "x"): return try hexadecimal(digits: 2, from: start)
        case UInt8(ascii: "u"): return try hexadecimal(digits: 4, from: start)
        case UInt8(ascii: "U"): return try hexadecimal(digits: 8, from: start)
        default:
            // Apple drops the backslash, so that '\d+' silently becomes "d+"; a mistake is worth an error.
            throw error(
                .syntax, "Unknown escape sequence. Write two backslashes for one, or pass the text as %@.",
                start..<min(start + (byte < 0x80 ? 2 : 1), bytes.count))
        }
    }

    private mutating func hexadecimal(digits: Int, from start: Int) throws(PredicateTreeError)
        -> Unicode.Scalar
    {
        let end = min(position + digits, bytes.count)
        let text = text(position..<end)
        guard text.utf8.count == digits, let value = UInt32(text, radix: 16), !text.hasPrefix("+"),
            let scalar = Unicode.Scalar(value)
        else {
            throw error(
                .syntax,
                "The escape sequence does not have \(digits) hexadecimal digits that name a Unicode scalar. "
                    + "Correct the digits.",
                start..<start + 2)
        }
        position = end
        return scalar
    }

    /// Reads a number as written; the parser knows its sign and computes its value.
    mutating func number() throws(PredicateTreeError) -> String {
        let start = position
        if peek() == UInt8(ascii: "0"), "xXoObB".utf8.contains(peek(1)) {
            position += 2
            while peek().isHexDigit { position += 1 }
        } else {
            skipDigits()
            if peek() == UInt8(ascii: "."), peek(1).isDigit {
                position += 1
                skipDigits()
            }
            if peek() | 0x20 == UInt8(ascii: "e") {
                let signed = peek(1) == UInt8(ascii: "+") || peek(1) == UInt8(ascii: "-")
                if peek(signed ? 2 : 1).isDigit {
                    position += signed ? 2 : 1
                    skipDigits()
                }
            }
        }
        if peek() < 0x80, Unicode.Scalar(peek()).isKeyPart(first: false) {
            throw error(
                .syntax, "A name follows a number directly. Put a space or quotes between them.",
                start..<position + 1
            )
        }
        return text(start..<position)
    }

    private mutating func skipDigits() {
        while peek().isDigit { position += 1 }
    }

    /// Indicates whether the percent sign just passed is an operator.
    ///
    /// It is one if no letter of a placeholder follows its number or space.
    private var isRemainder: Bool {
        var place = 0
        while peek(place).isDigit { place += 1 }
        if place == 0 { return position < bytes.count && peek() == UInt8(ascii: " ") }
        let following = Unicode.Scalar(peek(place))
        return following != "$" && following != "." && !following.isKeyPart(first: true)
    }

    /// Reads a printf-like placeholder. Length modifiers have no effect, because Swift's arguments know their
    /// size.
    mutating func placeholder() throws(PredicateTreeError) -> PredicateToken.Kind {
        let start = position
        position += 1
        if isRemainder {
            throw error(
                .unsupported, "The operator % is not supported. Use modulus:by:(a, b) for the remainder.",
                start..<position)
        }
        if peek().isDigit || "$.+-#*'".utf8.contains(peek()) {
            throw error(
                .unsupported,
                "Positions, flags, widths and precisions are not supported in placeholders. Use %@, %K, %d "
                    + "or %f.",
                start..<min(position + 1, bytes.count))
        }
        while "hlqjztL".utf8.contains(peek()) { position += 1 }
        let plain = position == start + 1
        let letter = peek()
        position = min(position + 1, bytes.count)
        switch letter {
        case UInt8(ascii: "@") where plain: return .objectPlaceholder
        case UInt8(ascii: "K") where plain: return .keyPlaceholder
        case _ where "dDiuUxXoO".utf8.contains(letter): return .integerPlaceholder
        case _ where "fFeEgGaA".utf8.contains(letter): return .floatPlaceholder
        case UInt8(ascii: "%") where plain:
            throw error(
                .syntax,
                "A percent sign is only possible in text. Put the percent sign in quotes, without "
                    + "doubling it.",
                start..<position)
        default:
            if letter >= 0x80 { position -= 1 }
            throw error(
                .unsupported, "This placeholder is not supported. Use %@, %K, %d or %f.", start..<position)
        }
    }
}

extension UInt8 {
    fileprivate var isHexDigit: Bool {
        isDigit || (self | 0x20 >= UInt8(ascii: "a") && self | 0x20 <= UInt8(ascii: "f"))
    }
}
