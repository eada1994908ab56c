extension PredicateParser {
    /// Parses a key path. If a parenthesis or colon follows a name, it parses a call.
    mutating func keyPath() throws(PredicateTreeError) -> PredicateTree.Expression {
        let start = token
        let isWord = if case .word = token.kind { true } else { false }
        let keys = try keys(after: false)
        if token.isSymbol("(") || token.isSymbol(":") {
            guard isWord, keys.count == 1 else {
                throw error(
                    .syntax,
                    "The name of a function cannot be a key path. Write the function as in sqrt:(width).")
            }
            return try call(keys[0], start)
        }
        return .joined(.evaluatedObject, keys)
    }

    /// Parses names joined by dots, each written out or given by %K; SELF may come first.
    ///
    /// - Parameter isBehind: Indicates whether the names follow another operand and a dot.
    mutating func keys(after isBehind: Bool) throws(PredicateTreeError) -> [String] {
        var keys: [String] = []
        var isFirst = !isBehind
        var last = token
        repeat {
            if !keys.isEmpty || last != token { try advance() }
            if keys.last == PredicateTree.Expression.countKey {
                throw error(.syntax, "A key path cannot continue after @count. Remove the keys after @count.")
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
                        "Use one of "
                            + PredicateTree.KeyPathOperator.allCases.map(\.rawValue).joined(separator: ", ")
                            + ".")
                }
                keys.append(key.rawValue)
            default: throw error(.syntax, "Expected a key after the dot. Add a key.")
            }
            isFirst = false
            try advance()
        } while token.isSymbol(".")
        if let complaint = keys.operatorComplaint {
            throw lexer.error(.syntax, complaint, last.range)
        }
        return keys
    }

    /// Parses the end of `FUNCTION(target, 'valueForKey:', 'key')`, which is `target.key`.
    mutating func value(
        of target: PredicateTree.Expression, by selector: KeyedSelector
    ) throws(PredicateTreeError) -> PredicateTree.Expression {
        let start = token
        guard !token.isSymbol(")"), case .constant(.string(let text)) = try operand() else {
            throw lexer.error(
                .syntax,
                "\(selector.rawValue) needs a quoted key here. Write FUNCTION(target, "
                    + "'\(selector.rawValue)', 'name').",
                start.range)
        }
        switch target {
        case .constant, .collection, .aggregate:
            throw lexer.error(
                .syntax,
                "\(selector.rawValue) reads a key of an object, but is applied to a literal. Replace the literal with SELF or a relationship.",
                start.range)
        default: break
        }
        var keys = try key(text, by: selector, start)
        for (place, key) in keys.enumerated() where key.hasPrefix("@") {
            guard let op = keyPathOperator(String(key.dropFirst())) else { continue }
            keys[place] = op.rawValue
        }
        if let complaint = keys.operatorComplaint { throw lexer.error(.syntax, complaint, start.range) }
        try expect(")", "The operands of \(selector.rawValue) have no closing parenthesis. Add ).")
        return .joined(target, keys)
    }

    private func key(
        _ text: String, by selector: KeyedSelector, _ start: PredicateToken
    ) throws(PredicateTreeError) -> [String] {
        let keys = selector.keys(of: text)
        if selector == .key, text.contains(".") {
            throw lexer.error(
                .syntax,
                "valueForKey: takes one key, but this is a key path. Write valueForKeyPath: instead.",
                start.range)
        }
        if let key = keys.first(where: { !$0.hasPrefix("@") && !$0.isKey }) {
            throw lexer.error(
                .syntax,
                "\(selector.rawValue) has the key \"\(key)\", which is not a name. A name has letters, digits and "
                    + "_, and does not begin with a digit. Correct the key.",
                start.range)
        }
        return keys
    }

    /// Returns the operator with a name.
    ///
    /// Members of members are always members here, so that operators for sets of sets equal those for
    /// objects.
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
    /// The error of the operators in the key path; nil if they are valid there.
    var operatorComplaint: String? {
        for (place, key) in enumerated() where key.hasPrefix("@") {
            guard let op = PredicateTree.KeyPathOperator(rawValue: key) else {
                return "\(key) is not a key path operator. Use one of "
                    + "\(PredicateTree.KeyPathOperator.allCases.map(\.rawValue).joined(separator: ", "))."
            }
            if op == .count {
                if place < count - 1 {
                    return "A key path cannot continue after @count. Remove the keys after @count."
                }
            } else {
                if place == count - 1 {
                    return "\(key) has no key after it. Add a key: employees.\(key).salary."
                }
                if self[(place + 1)...].contains(where: { $0.hasPrefix("@") }) {
                    return "A key path cannot have another operator after \(key). Write \(key) last."
                }
            }
        }
        return nil
    }
}
