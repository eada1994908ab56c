/// The encoding of names and values in URLs and forms.
enum FormText {
    private static let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)
    private static let digits = Array("0123456789ABCDEF".utf8)

    /// Returns text with all bytes encoded that can have a meaning in a URL.
    static func encoded(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if plain.contains(byte) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the text of an encoded one; what is not an encoding stays as it is.
    static func decoded(_ text: String, plusIsSpace: Bool = true) -> String {
        String(decoding: bytes(of: text, plusIsSpace: plusIsSpace), as: UTF8.self)
    }

    /// Indicates whether an encoded text is UTF-8.
    static func isText(_ text: String) -> Bool {
        String(validating: bytes(of: text, plusIsSpace: true), as: UTF8.self) != nil
    }

    private static func bytes(of text: String, plusIsSpace: Bool) -> [UInt8] {
        let source = Array(text.utf8)
        var bytes: [UInt8] = []
        var place = 0
        while place < source.count {
            let byte = source[place]
            if byte == UInt8(ascii: "%"), place + 2 < source.count, let high = value(source[place + 1]),
                let low = value(source[place + 2])
            {
                bytes.append(high << 4 | low)
                place += 3
                continue
            }
            bytes.append(plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            place += 1
        }
        return bytes
    }

    /// Returns the names and values of a query or of a form's body.
    static func fields(of text: String) -> [(name: String, value: String)] {
        text.split(separator: "&").map { field in
            let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (decoded(String(parts[0])), parts.count > 1 ? decoded(String(parts[1])) : "")
        }
    }

    /// Returns a query with its question mark; empty without fields.
    static func query(_ fields: [(name: String, value: String)]) -> String {
        if fields.isEmpty { return "" }
        return "?" + fields.map { "\(encoded($0.name))=\(encoded($0.value))" }.joined(separator: "&")
    }

    private static func value(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
