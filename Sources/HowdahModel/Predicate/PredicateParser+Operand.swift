extension PredicateParser {
    /// One operand, in any number of parentheses.
    mutating func operand() throws(PredicateTreeError) -> PredicateTree.Expression {
        var open = 0
        while token.isSymbol("(") {
            open += 1
            try advance()
        }
        let expression = token.isSymbol("{") ? try collection() : try simpleOperand()
        for _ in 0..<open {
            try expect(
                ")", "The parenthesis around an operand is not closed; collections are written {a, b}.")
        }
        return expression
    }

    private mutating func simpleOperand() throws(PredicateTreeError) -> PredicateTree.Expression {
        switch token.kind {
        case .string(let text):
            try advance()
            return .constant(.string(text))
        case .number, .symbol("-"): return .constant(try number())
        case .variable(let name):
            try advance()
            guard token.isSymbol(".") else { return .variable(name) }
            // Only of fetched properties it is known what the variable will stand for.
            guard [FetchedPropertyDescription.source, FetchedPropertyDescription.property].contains(name),
                case .keyPath(let keys) = try keyPath(after: name)
            else { throw unsupported("A key path on a variable ($\(name).)") }
            return .variable(([name] + keys).joined(separator: "."))
        case .objectPlaceholder: return try objectArgument()
        case .integerPlaceholder: return .constant(try integerArgument())
        case .floatPlaceholder: return .constant(try floatArgument())
        case .atWord(let name): throw unsupported("The key path operator @\(name) here")
        case .keyPlaceholder, .escapedWord: return try keyPath()
        case .word: return try wordOperand()
        case .symbol, .end: break
        }
        if case .symbol(let symbol) = token.kind, let construct = PredicateKeyword.unsupported[symbol] {
            throw unsupported(construct)
        }
        throw error(.syntax, "A key path, a literal or a placeholder was expected.")
    }

    private mutating func wordOperand() throws(PredicateTreeError) -> PredicateTree.Expression {
        let keyword = token.keyword ?? ""
        if let literal = PredicateKeyword.literals[keyword] {
            try advance()
            return .constant(literal)
        }
        switch keyword {
        case "SELF": return try keyPath()
        case "CAST": return .constant(try castLiteral())
        case "SUBQUERY", "FETCH", "ANYKEY": throw unsupported(keyword)
        case _ where PredicateKeyword.reserved.contains(keyword):
            throw error(
                .syntax,
                "\(keyword) is a keyword, and an operand was expected; a key of that name is #\(keyword).")
        default: return try keyPath()
        }
    }

    /// `{a, b}`: constants and variables.
    mutating func collection() throws(PredicateTreeError) -> PredicateTree.Expression {
        try advance()
        var values: [Value] = []
        var members: [PredicateTree.Expression] = []
        while !token.isSymbol("}") {
            let start = token
            let member = token.isSymbol("{") ? nil : try simpleOperand()
            switch member {
            case .constant(let value)? where members.isEmpty: values.append(value)
            case .constant?: member.map { members.append($0) }
            case .variable?:
                if members.isEmpty { members = values.map { .constant($0) } }
                member.map { members.append($0) }
            case .keyPath?, .evaluatedObject?:
                throw lexer.error(
                    .unsupported,
                    "A key path inside a collection is not supported; write a == b OR a == c.", start.range)
            case .collection?, .aggregate?, nil:
                throw lexer.error(
                    .invalidOperand, "Collections cannot be nested; pass the collection itself.", start.range)
            }
            guard max(values.count, members.count) <= PredicateTree.Limit.members else {
                throw lexer.error(.tooLarge, "The collection is too large.", start.range)
            }
            if token.isSymbol("}") { break }
            try expect(",", "A comma or } was expected in the collection.")
            if token.isSymbol("}") { throw error(.syntax, "A value was expected after the comma.") }
        }
        try expect("}", "The collection is never closed; write }.")
        return members.isEmpty ? .collection(values) : .aggregate(members)
    }

    /// The names behind a variable's dot.
    private mutating func keyPath(after variable: String) throws(PredicateTreeError)
        -> PredicateTree.Expression
    {
        try advance()
        if case .atWord(let name) = token.kind {
            throw unsupported("The key path operator @\(name) on a variable ($\(variable).)")
        }
        return try keyPath()
    }

    /// Names joined by dots, each written out or given by %K.
    private mutating func keyPath() throws(PredicateTreeError) -> PredicateTree.Expression {
        var keys: [String] = []
        var isFirst = true
        repeat {
            if !isFirst { try advance() }
            if keys.last == PredicateTree.Expression.countKey {
                throw error(.syntax, "Nothing can follow @count.")
            }
            switch token.kind {
            case .escapedWord(let name): keys.append(name)
            case .word(let name) where !isFirst || token.keyword != "SELF": keys.append(name)
            case .word: break
            case .keyPlaceholder: keys += try keyArgument(isFirst: isFirst)
            case .atWord("count") where !isFirst && !keys.isEmpty:
                keys.append(PredicateTree.Expression.countKey)
            case .atWord(let name): throw unsupported("The key path operator @\(name) here")
            default: throw error(.syntax, "A key was expected after the dot.")
            }
            isFirst = false
            try advance()
        } while token.isSymbol(".")
        if token.isSymbol("(") || token.isSymbol(":") {
            throw unsupported("The function \(keys.joined(separator: "."))()")
        }
        return keys.isEmpty ? .evaluatedObject : .keyPath(keys)
    }
}
