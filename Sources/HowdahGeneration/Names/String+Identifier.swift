extension String {
    /// The nearest text that is an identifier; one that is a keyword is left as it is, for ``spelling``.
    var identifier: String {
        var result = ""
        for scalar in unicodeScalars {
            if scalar == "_" || scalar.properties.isXIDContinue {
                // Digits and combining marks do not begin identifiers.
                if result.isEmpty, !scalar.properties.isXIDStart, scalar != "_" { result = "_" }
                result.unicodeScalars.append(scalar)
            } else {
                result += "_"
            }
        }
        return result.allSatisfy { $0 == "_" } ? result + "unnamed" : result
    }

    /// The identifier as code spells it.
    var spelling: String { Self.keywords.contains(self) ? "`\(self)`" : self }

    /// The identifier as a parameter's name and label.
    var parameter: String { ["inout", "let", "var"].contains(self) ? spelling : self }

    /// The identifier as the label of an argument.
    var label: String { self == "inout" ? spelling : self }

    /// The text with the capitals at its beginning lowered, as properties are named: `URLTable` is `urlTable`.
    var loweredAtStart: String {
        let capitals = prefix { $0.isUppercase }
        guard capitals.count > 1, capitals.count < count else {
            return capitals.lowercased() + dropFirst(capitals.count)
        }
        // The last capital of several begins the next word.
        let kept = index(before: capitals.endIndex)
        return self[..<kept].lowercased() + self[kept...]
    }

    private static let keywords: Set<String> = [
        "Any", "Protocol", "Self", "Type", "as", "associatedtype", "await", "break", "case", "catch", "class",
        "continue", "default", "defer", "deinit", "do", "else", "enum", "extension", "fallthrough", "false",
        "fileprivate", "for", "func", "guard", "if", "import", "in", "init", "inout", "internal", "is", "let",
        "nil",
        "operator", "precedencegroup", "private", "protocol", "public", "repeat", "rethrows", "return",
        "self",
        "static", "struct", "subscript", "super", "switch", "throw", "throws", "true", "try", "typealias",
        "var",
        "where", "while",
    ]
}
