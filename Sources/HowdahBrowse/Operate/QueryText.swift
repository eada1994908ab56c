/// The text of a query as PostgreSQL reads it, up to its end.
struct QueryText {
    private let bytes: [UInt8]
    private var place = 0
    /// The position after the last byte that is not of a space, a semicolon or a comment.
    private var end = 0

    /// Returns a query without the spaces, semicolons and comments at its end.
    ///
    /// A query is put into other statements, which a semicolon would end. What is not finished stays as it is, and the
    /// server says so.
    static func trimmed(_ text: String) -> String {
        var reading = QueryText(bytes: Array(text.utf8))
        while reading.place < reading.bytes.count { reading.step() }
        return String(decoding: reading.bytes[..<reading.end], as: UTF8.self)
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private mutating func step() {
        switch bytes[place] {
        case UInt8(ascii: "-") where begins("--"):
            while place < bytes.count, bytes[place] != UInt8(ascii: "\n"), bytes[place] != UInt8(ascii: "\r")
            {
                place += 1
            }
        case UInt8(ascii: "/") where begins("/*"): skipComment()
        case UInt8(ascii: "'"): skipQuoted(isEscaping: isAfterE)
        case UInt8(ascii: "\""): skipQuoted(isEscaping: false)
        case UInt8(ascii: "$") where !isWord(before: place): skipDollars()
        case UInt8(ascii: ";"), 9...13, 32: place += 1
        default:
            place += 1
            end = place
        }
    }

    private func begins(_ text: String) -> Bool { bytes[place...].starts(with: text.utf8) }

    /// Comments nest.
    private mutating func skipComment() {
        var depth = 0
        while place < bytes.count {
            if begins("/*") {
                (depth, place) = (depth + 1, place + 2)
            } else if begins("*/") {
                (depth, place) = (depth - 1, place + 2)
                if depth == 0 { return }
            } else {
                place += 1
            }
        }
        end = place
    }

    /// Without escapes, a doubled mark can end one text and begin the next.
    private mutating func skipQuoted(isEscaping: Bool) {
        let mark = bytes[place]
        place += 1
        while place < bytes.count {
            if bytes[place] == mark {
                let isDoubled = place + 1 < bytes.count && bytes[place + 1] == mark
                if !isEscaping || !isDoubled { break }
                place += 1
            } else if isEscaping, bytes[place] == UInt8(ascii: "\\") {
                place += 1
            }
            place += 1
        }
        place = min(place + 1, bytes.count)
        end = place
    }

    private mutating func skipDollars() {
        let rest = bytes[(place + 1)...]
        let tag = rest.prefix { $0 != UInt8(ascii: "$") && Self.isWord($0) }
        let after = place + 1 + tag.count
        if after < bytes.count, bytes[after] == UInt8(ascii: "$"), !Self.isDigit(tag.first) {
            let delimiter = Array(bytes[place...after])
            place = after + 1
            while place < bytes.count, !bytes[place...].starts(with: delimiter) { place += 1 }
            place = min(place + delimiter.count, bytes.count)
        } else {
            place += 1
        }
        end = place
    }

    /// Indicates whether a text begins here in which backslashes are escapes.
    private var isAfterE: Bool {
        guard place > 0, bytes[place - 1] | 32 == UInt8(ascii: "e") else { return false }
        return !isWord(before: place - 1)
    }

    private func isWord(before place: Int) -> Bool { place > 0 && Self.isWord(bytes[place - 1]) }

    private static func isDigit(_ byte: UInt8?) -> Bool {
        byte.map { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? false
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        byte >= 128 || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$") || isDigit(byte)
            || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 32)
    }
}
