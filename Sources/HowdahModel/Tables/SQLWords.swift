/// Finds the names in an SQL expression that somebody else wrote.
enum SQLWords {
    /// All identifiers, as PostgreSQL understands them: lower case unless they are quoted. Keywords and functions are
    /// among them; texts and numbers are not.
    static func identifiers(in expression: String) -> Set<String> {
        var words: Set<String> = []
        var rest = expression[...]
        while let first = rest.first {
            switch first {
            case "'":
                _ = quoted(by: "'", &rest)
            case "\"":
                words.insert(quoted(by: "\"", &rest))
            case _ where first.isLetter || first == "_":
                let word = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "$" }
                words.insert(word.lowercased())
                rest = rest[word.endIndex...]
            case _ where first.isNumber:
                rest = rest.drop { $0.isLetter || $0.isNumber || $0 == "." }
            default:
                rest.removeFirst()
            }
        }
        return words
    }

    /// Takes what stands in quotes; a doubled quote is one of the text.
    private static func quoted(by mark: Character, _ rest: inout Substring) -> String {
        var text = ""
        rest.removeFirst()
        while let next = rest.popFirst() {
            if next == mark {
                guard rest.first == mark else { break }
                rest.removeFirst()
            }
            text.append(next)
        }
        return text
    }
}
