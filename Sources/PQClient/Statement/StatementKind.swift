/// The effect of a statement on transactions and prepared statements. Its first words decide.
enum StatementKind: Equatable {
    case begin, commit, rollback, forgetsStatements, other

    init(_ sql: String) {
        var words = Words(sql.utf8[...])
        switch words.next() {
        case "BEGIN", "START": self = .begin
        case "COMMIT", "END": self = .commit
        case "ROLLBACK", "ABORT": self = .rollback
        case "PREPARE": self = words.next() == "TRANSACTION" ? .commit : .other
        case "DISCARD", "DEALLOCATE": self = .forgetsStatements
        default: self = .other
        }
    }

    /// The leading words in upper case. Blanks and comments are skipped, long words are cut.
    private struct Words {
        private var rest: Substring.UTF8View

        init(_ rest: Substring.UTF8View) { self.rest = rest }

        mutating func next() -> String {
            skipBlanks()
            var word = ""
            while let byte = rest.first, word.utf8.count < 12 {
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"):
                    word.unicodeScalars.append(Unicode.Scalar(byte - 32))
                case UInt8(ascii: "A")...UInt8(ascii: "Z"): word.unicodeScalars.append(Unicode.Scalar(byte))
                default: return word
                }
                rest.removeFirst()
            }
            return word
        }

        private mutating func skipBlanks() {
            while let byte = rest.first {
                if byte == UInt8(ascii: " ") || (9...13).contains(byte) || byte == UInt8(ascii: ";") {
                    rest.removeFirst()
                } else if rest.starts(with: "--".utf8) {
                    rest = rest.drop { $0 != UInt8(ascii: "\n") }
                } else if rest.starts(with: "/*".utf8) {
                    skipBlockComment()
                } else {
                    return
                }
            }
        }

        private mutating func skipBlockComment() {
            var depth = 0
            repeat {
                if rest.starts(with: "/*".utf8) {
                    depth += 1
                    rest = rest.dropFirst(2)
                } else if rest.starts(with: "*/".utf8) {
                    depth -= 1
                    rest = rest.dropFirst(2)
                } else if rest.popFirst() == nil {
                    return
                }
            } while depth > 0
        }
    }
}
