/// The words and signs of a statement, as PostgreSQL reads them: without comments, and with each text as one
/// token.
struct SQLTokens {
    enum Token: Equatable {
        /// A name or a key word in upper case, also one in quotes.
        case word(String)
        /// A literal, with the text between its quotes.
        case text(String)
        case sign(Character)
    }

    private(set) var all: [Token] = []
    /// A Boolean value that indicates whether a name or a text has Unicode escapes (`U&`), and so is unknown.
    private(set) var hasEscapes = false

    private var rest: Substring

    init(_ sql: String) {
        rest = sql[...]
        while let character = rest.first { read(character) }
    }

    /// Creates a part of the tokens of another statement.
    init(_ tokens: ArraySlice<Token>, hasEscapes: Bool) {
        (all, self.hasEscapes, rest) = (Array(tokens), hasEscapes, "")
    }

    /// Returns a Boolean value that indicates whether words occur one after the other.
    func contains(_ words: String...) -> Bool {
        let wanted = words.map { Token.word($0) }
        return all.indices.contains { all[$0...].starts(with: wanted) }
    }

    private mutating func read(_ character: Character) {
        if rest.hasPrefix("--") {
            rest = rest.drop { !$0.isNewline }
        } else if rest.hasPrefix("/*") {
            skipComment()
        } else if character == "'" {
            // An E before it lets backslashes escape quotes.
            let isEscaping = all.last == .word("E") && isAdjacent
            if isEscaping { all.removeLast() }
            all.append(.text(quoted("'", isEscaping: isEscaping)))
        } else if character == "\"" {
            all.append(.word(quoted("\"").uppercased()))
        } else if character == "$", let delimiter = dollarDelimiter() {
            rest = rest.dropFirst(delimiter.count)
            let end = rest.firstRange(of: delimiter)
            all.append(.text(String(rest[..<(end?.lowerBound ?? rest.endIndex)])))
            rest = end.map { rest[$0.upperBound...] } ?? ""
        } else if Self.begins(character) {
            let word = rest.prefix { Self.begins($0) || $0.isNumber || $0 == "$" }
            rest = rest.dropFirst(word.count)
            all.append(.word(word.uppercased()))
            isAdjacent = true
            if word.uppercased() == "U", rest.hasPrefix("&'") || rest.hasPrefix("&\"") { hasEscapes = true }
            return
        } else {
            rest.removeFirst()
            if !character.isWhitespace { all.append(.sign(character)) }
        }
        isAdjacent = false
    }

    /// A Boolean value that indicates whether the last word ends at the start of the rest.
    private var isAdjacent = false

    private static func begins(_ character: Character) -> Bool { character.isLetter || character == "_" }

    private mutating func quoted(_ quote: Character, isEscaping: Bool = false) -> String {
        rest.removeFirst()
        var text = ""
        while let character = rest.popFirst() {
            if isEscaping, character == "\\" {
                if let next = rest.popFirst() { text.append(next) }
            } else if character != quote {
                text.append(character)
            } else if rest.first == quote {
                rest.removeFirst()
                text.append(quote)
            } else {
                return text
            }
        }
        return text
    }

    /// Returns the delimiter `$$` or `$tag$`, if there is one.
    private func dollarDelimiter() -> Substring? {
        let tag = rest.dropFirst().prefix { Self.begins($0) || $0.isNumber }
        guard rest.dropFirst(1 + tag.count).first == "$" else { return nil }
        return rest.prefix(tag.count + 2)
    }

    /// Skips a comment with its nested ones.
    private mutating func skipComment() {
        var depth = 0
        repeat {
            if rest.hasPrefix("/*") || rest.hasPrefix("*/") {
                depth += rest.hasPrefix("/*") ? 1 : -1
                rest = rest.dropFirst(2)
            } else if rest.popFirst() == nil {
                return
            }
        } while depth > 0
    }
}
