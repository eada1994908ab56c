extension PredicateParser {
    /// Parses the operator, its options and the right side.
    mutating func comparison(
        lhs: PredicateTree.Expression, modifier: PredicateTree.Modifier
    ) throws(PredicateTreeError) -> PredicateTree.Node {
        let opening = token
        let op = try comparisonOperator()
        let options = try options()
        let isArgument = token.kind == .objectPlaceholder
        let given = try operand()
        // A collection that is written out stands right of IN; one that is passed can be an array attribute's value.
        let rhs = isArgument && modifier == .direct ? given.asArray(for: op) : given
        if complaint == nil,
            let text = PredicateTree.complaint(lhs: lhs, op: op, rhs: rhs, modifier: modifier)
        {
            complaint = lexer.error(.invalidOperand, text, opening.range)
        }
        return .comparison(lhs: lhs, op: op, rhs: rhs, options: options, modifier: modifier)
    }

    private mutating func comparisonOperator() throws(PredicateTreeError) -> PredicateTree.Operator {
        let name: String
        switch token.kind {
        case .symbol(let symbol): name = symbol
        case .word: name = token.keyword ?? ""
        default: name = ""
        }
        if let op = PredicateKeyword.operators[name] {
            try advance()
            return op
        }
        if let refusal = refusal() { throw refusal }
        if name == "NOT" {
            throw error(.syntax, "NOT must be before the whole comparison. Write NOT (a IN b).")
        }
        if name == "UTI" {
            throw error(
                .unsupported,
                "UTI-CONFORMS-TO and UTI-EQUALS are not supported. Use == or IN with the types that you mean."
            )
        }
        throw error(
            .syntax, "Expected a comparison operator. Write a Boolean property as isActive == TRUE.")
    }

    private mutating func options() throws(PredicateTreeError) -> PredicateTree.Options {
        var options: PredicateTree.Options = []
        guard token.isSymbol("[") else { return options }
        try advance()
        guard case .word(let letters) = token.kind else {
            throw error(.syntax, "Expected options of the letters c, d, n and l. Write options as [cd].")
        }
        for letter in letters.utf8 {
            guard let option = PredicateTree.Options.letters.first(where: { $0.0 == letter | 0x20 }) else {
                throw error(.syntax, "Unknown option. Use only the letters c, d, n and l, as in [cd].")
            }
            options.insert(option.1)
        }
        try advance()
        try expect("]", "The options have no closing bracket. Add ].")
        return options
    }

    mutating func expect(_ symbol: String, _ complaint: String) throws(PredicateTreeError) {
        guard token.isSymbol(symbol) else { throw refusal() ?? error(.syntax, complaint) }
        try advance()
    }

    /// Returns an error that names an unsupported construct of Apple's grammar, if one is here.
    func refusal() -> PredicateTreeError? {
        guard case .symbol(let name) = token.kind, let construct = PredicateKeyword.unsupported[name] else {
            return nil
        }
        return unsupported(construct)
    }

    func unsupported(_ construct: String, _ remedy: String? = nil) -> PredicateTreeError {
        error(
            .unsupported,
            "\(construct) is not supported in predicates. "
                + (remedy ?? "Compute the value first and pass it as an argument."))
    }
}

extension PredicateTree {
    /// Returns the error of operands that the operator cannot take, or nil if it can.
    static func complaint(
        lhs: Expression, op: Operator, rhs: Expression, modifier: Modifier
    ) -> String? {
        if modifier != .direct, !lhs.leadsToMembers {
            return "\(modifier.rawValue) needs a key path or another collection on the left side. Remove "
                + "\(modifier.rawValue), or use a collection on the left side."
        }
        if lhs.isCollection, op != .contains, modifier == .direct {
            return "A collection cannot be to the left of \(op.rawValue). Use a single value on the left "
                + "side."
        }
        switch op {
        case .between:
            switch rhs {
            case .variable: return nil
            case .collection(let bounds) where bounds.count == 2: return nil
            case .aggregate(let bounds) where bounds.count == 2: return nil
            default: return "BETWEEN needs two bounds. Write {low, high}."
            }
        case .in:
            switch rhs {
            case .evaluatedObject:
                return "IN needs a collection, a string or a to-many key path on its right side. Use a "
                    + "to-many key path of the object instead of SELF."
            case .constant(let value):
                switch value {
                case .string, .null: return nil
                default:
                    return "IN needs a collection, a string or a to-many key path on its right side. "
                        + "Put a single value in braces: {value}."
                }
            default: return nil
            }
        default:
            return rhs.isCollection ? "A collection cannot be to the right of \(op.rawValue). Use IN." : nil
        }
    }
}

extension PredicateTree.Expression {
    var isCollection: Bool {
        switch self {
        case .collection, .aggregate: true
        default: false
        }
    }

    /// Indicates whether there can be several values, to which ANY, ALL or NONE applies.
    fileprivate var leadsToMembers: Bool {
        switch self {
        case .keyPath, .path, .subquery, .set, .call, .collection, .aggregate, .variable: true
        case .constant, .evaluatedObject, .function, .cast, .conditional, .element: false
        }
    }
}
