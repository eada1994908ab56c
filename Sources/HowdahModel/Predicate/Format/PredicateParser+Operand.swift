extension PredicateParser {
    /// Parses an independent operand, with brackets and key paths behind it.
    mutating func primary() throws(PredicateTreeError) -> PredicateTree.Expression {
        let expression: PredicateTree.Expression
        switch token.kind {
        case .string(let text):
            try advance()
            expression = .constant(.string(text))
        case .number: expression = .constant(try number(isNegative: false))
        case .variable(let name):
            try advance()
            expression = try variable(name)
        case .objectPlaceholder: expression = try objectArgument()
        case .integerPlaceholder: expression = try integerOperand()
        case .floatPlaceholder: expression = try floatOperand()
        case .atWord:
            throw error(
                .syntax,
                "A key path operator needs a to-many key path before it. Write the operator as in "
                    + "employees.@count.")
        case .keyPlaceholder, .escapedWord: expression = try keyPath()
        case .word: expression = try wordOperand()
        case .symbol("("):
            try nest()
            try advance()
            expression = try operand()
            try expect(
                ")",
                "The parenthesis around an operand is not closed. Add ), or write a collection as {a, "
                    + "b}.")
            unnest()
        case .symbol("{"): expression = try collection()
        case .symbol, .end:
            throw refusal()
                ?? error(
                    .syntax,
                    "Expected a key path, a literal or a placeholder. Add one of "
                        + "them.")
        }
        return try postfixed(expression)
    }

    /// Parses `[position]` and `.key` behind an operand, any number of them.
    mutating func postfixed(
        _ expression: PredicateTree.Expression
    ) throws(PredicateTreeError) -> PredicateTree.Expression {
        var expression = expression
        var count = 0
        while token.isSymbol("[") || token.isSymbol(".") {
            count += 1
            guard count <= PredicateTree.Limit.depth else {
                throw .tooDeep(format: lexer.format, position: token.range.lowerBound)
            }
            if token.isSymbol("[") {
                expression = try indexed(expression)
                continue
            }
            switch expression {
            case .constant, .collection, .aggregate:
                throw error(.syntax, "A key path cannot begin with a value. Begin it with a name.")
            default: break
            }
            try advance()
            expression = .joined(expression, try keys(after: true))
        }
        return expression
    }

    private mutating func indexed(
        _ base: PredicateTree.Expression
    ) throws(PredicateTreeError) -> PredicateTree.Expression {
        try advance()
        let expression: PredicateTree.Expression
        switch (token.kind, token.keyword) {
        case (_, "FIRST"): expression = .element(base, .first)
        case (_, "LAST"): expression = .element(base, .last)
        case (_, "SIZE"): expression = .joined(base, [PredicateTree.Expression.countKey])
        case (.number, _), (.integerPlaceholder, _):
            let start = token
            let value =
                token.kind == .integerPlaceholder ? try integerArgument() : try number(isNegative: false)
            guard case .int(let number) = value, let position = Int(exactly: number),
                PredicateTree.Limit.positions.contains(position)
            else {
                throw lexer.error(
                    .syntax,
                    "The index is not a whole number from 0. Count from 0, or write LAST for the last element.",
                    start.range)
            }
            try expect("]", "The index has no closing bracket. Add ].")
            return .element(base, .number(position))
        default:
            throw unsupported(
                "An index ([]) other than FIRST, LAST, SIZE or a number",
                "Compare with each position separately.")
        }
        try advance()
        try expect("]", "The index has no closing bracket. Add ].")
        return expression
    }

    private mutating func variable(_ name: String) throws(PredicateTreeError) -> PredicateTree.Expression {
        // Of fetched properties it is known what the variable will stand for.
        guard [PredicateTree.fetchSource, PredicateTree.fetchedProperty].contains(name),
            token.isSymbol(".")
        else { return .variable(name) }
        try advance()
        let keys = try keys(after: true)
        guard !keys.contains(where: { $0.hasPrefix("@") }) else {
            throw unsupported(
                "A key path operator on $\(name)",
                "Remove the operator, and name a property, as in $\(name).name.")
        }
        return .variable(([name] + keys).joined(separator: "."))
    }

    private mutating func wordOperand() throws(PredicateTreeError) -> PredicateTree.Expression {
        let keyword = token.keyword ?? ""
        if let literal = PredicateKeyword.literals[keyword] {
            try advance()
            return .constant(literal)
        }
        switch keyword {
        case "SELF": return try keyPath()
        case "CAST": return try cast()
        case "SUBQUERY": return try subquery()
        case "FETCH":
            throw unsupported(
                "FETCH", "Run the fetch or count first and pass its result as an argument: SELF IN %@.")
        case "ANYKEY": throw unsupported("ANYKEY", "Name the properties and join the comparisons with OR.")
        case _ where PredicateKeyword.reserved.contains(keyword):
            throw error(
                .syntax,
                "\(keyword) is a keyword, but an operand was expected. Write #\(keyword) for a key of that "
                    + "name.")
        default: return try keyPath()
        }
    }

    /// Parses `{a, b}`: a collection of constants if all elements are constants, and otherwise of operands.
    mutating func collection() throws(PredicateTreeError) -> PredicateTree.Expression {
        try nest()
        try advance()
        var values: [Value] = []
        var members: [PredicateTree.Expression] = []
        while !token.isSymbol("}") {
            let start = token
            switch token.isSymbol("{") ? .aggregate([]) : try operand() {
            case .constant(let value) where members.isEmpty: values.append(value)
            case .collection, .aggregate:
                throw lexer.error(
                    .invalidOperand,
                    "A collection contains another collection. Write IN %@ or IN {a, b}, not IN {%@} with a collection.",
                    start.range)
            case let member:
                if members.isEmpty { members = values.map { .constant($0) } }
                members.append(member)
            }
            guard max(values.count, members.count) <= PredicateTree.Limit.members else {
                throw lexer.error(
                    .tooLarge,
                    "The collection has more than \(PredicateTree.Limit.members) members. Split the "
                        + "collection, and fetch once for each part.", start.range)
            }
            if token.isSymbol("}") { break }
            try expect(",", "Expected a comma or } in the collection. Add one of them.")
            if token.isSymbol("}") {
                throw error(
                    .syntax,
                    "Expected a value after the comma. Add a value, or "
                        + "remove the comma.")
            }
        }
        try expect("}", "The collection has no closing brace. Add }.")
        unnest()
        return members.isEmpty ? .collection(values) : .aggregate(members)
    }
}
