extension PredicateParser {
    /// A key path, or a call where a parenthesis or colon follows a name.
    mutating func keyPath() throws(PredicateTreeError) -> PredicateTree.Expression {
        let start = token
        let isWord = if case .word = token.kind { true } else { false }
        let keys = try keys(after: false)
        if token.isSymbol("(") || token.isSymbol(":") {
            guard isWord, keys.count == 1 else {
                throw error(.syntax, "A function has a plain name: sqrt:(width).")
            }
            return try call(keys[0], start)
        }
        return .joined(.evaluatedObject, keys)
    }

    /// Names joined by dots, each written out or given by %K; SELF may come first.
    ///
    /// - Parameter isBehind: Whether the names follow something else and a dot.
    mutating func keys(after isBehind: Bool) throws(PredicateTreeError) -> [String] {
        var keys: [String] = []
        var isFirst = !isBehind
        var last = token
        repeat {
            if !keys.isEmpty || last != token { try advance() }
            if keys.last == PredicateTree.Expression.countKey {
                throw error(.syntax, "Nothing can follow @count.")
            }
            last = token
            switch token.kind {
            case .escapedWord(let name): keys.append(name)
            case .word(let name) where !isFirst || token.keyword != "SELF": keys.append(name)
            case .word: break
            case .keyPlaceholder: keys += try keyArgument(isFirst: isFirst)
            case .atWord(let name) where !isFirst:
                guard let key = keyPathOperator(name) else {
                    throw unsupported(
                        "The key path operator @\(name)",
                        "there are "
                            + PredicateTree.KeyPathOperator.allCases.map(\.rawValue).joined(separator: ", ")
                            + ".")
                }
                keys.append(key.rawValue)
            default: throw error(.syntax, "A key was expected after the dot.")
            }
            isFirst = false
            try advance()
        } while token.isSymbol(".")
        if let complaint = keys.operatorComplaint {
            throw lexer.error(.syntax, complaint, last.range)
        }
        return keys
    }

    /// The end of `FUNCTION(target, 'valueForKey:', 'key')`, which is `target.key`.
    mutating func value(
        of target: PredicateTree.Expression, by selector: KeyedSelector
    ) throws(PredicateTreeError) -> PredicateTree.Expression {
        let start = token
        guard !token.isSymbol(")"), case .constant(.string(let text)) = try operand() else {
            throw lexer.error(
                .syntax,
                "\(selector.rawValue) takes a quoted key here. Write FUNCTION(target, '\(selector.rawValue)', 'name').",
                start.range)
        }
        switch target {
        case .constant, .collection, .aggregate:
            throw lexer.error(
                .syntax, "\(selector.rawValue) asks a literal for a key. Name an object before it.",
                start.range)
        default: break
        }
        var keys = try key(text, by: selector, start)
        for (place, key) in keys.enumerated() where key.hasPrefix("@") {
            guard let op = keyPathOperator(String(key.dropFirst())) else { continue }
            keys[place] = op.rawValue
        }
        if let complaint = keys.operatorComplaint { throw lexer.error(.syntax, complaint, start.range) }
        try expect(")", "The operands of \(selector.rawValue) are never closed; write ).")
        return .joined(target, keys)
    }

    private func key(
        _ text: String, by selector: KeyedSelector, _ start: PredicateToken
    ) throws(PredicateTreeError) -> [String] {
        let keys = selector.keys(of: text)
        if selector == .key, text.contains(".") {
            throw lexer.error(
                .syntax,
                "valueForKey: takes one key, and this is a key path. Write valueForKeyPath: instead.",
                start.range)
        }
        guard keys.allSatisfy({ $0.hasPrefix("@") || $0.isKey }) else {
            throw lexer.error(
                .syntax,
                "\(selector.rawValue) takes names of letters, digits and _. Correct the key.",
                start.range)
        }
        return keys
    }

    /// Members of members are always members here, so that the operators for sets of sets are those for objects.
    private func keyPathOperator(_ name: String) -> PredicateTree.KeyPathOperator? {
        if receivers != nil, let known = Self.operatorsOfSets[name] { return known }
        return PredicateTree.KeyPathOperator(rawValue: "@\(name)")
    }

    private static let operatorsOfSets: [String: PredicateTree.KeyPathOperator] = [
        "unionOfSets": .distinct, "distinctUnionOfSets": .distinct, "unionOfArrays": .all,
        "distinctUnionOfArrays": .distinct,
    ]
}

extension [String] {
    /// What is wrong about the operators in the key path; nil where they can stand there.
    var operatorComplaint: String? {
        for (place, key) in enumerated() where key.hasPrefix("@") {
            guard let op = PredicateTree.KeyPathOperator(rawValue: key) else {
                return "\(key) is no key path operator."
            }
            if op == .count {
                if place < count - 1 { return "Nothing can follow @count." }
            } else {
                if place == count - 1 {
                    return "\(key) stands before what it takes: employees.\(key).salary."
                }
                if self[(place + 1)...].contains(where: { $0.hasPrefix("@") }) {
                    return "One key path has one operator behind \(key) at most; write \(key) last."
                }
            }
        }
        return nil
    }
}
