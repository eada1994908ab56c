/// Operators between operands, functions, and other expressions with operands inside.
extension PredicateParser {
    /// An operand and the depth of its deepest part.
    private typealias Operand = (expression: PredicateTree.Expression, height: Int)

    /// Parses one operand with all operators in it.
    mutating func operand() throws(PredicateTreeError) -> PredicateTree.Expression {
        try infix((try unary(), 0), 0).expression
    }

    /// Parses the rest of an operand that begins with one in parentheses.
    mutating func continued(
        _ expression: PredicateTree.Expression
    ) throws(PredicateTreeError) -> PredicateTree.Expression {
        try infix((try postfixed(expression), 0), 0).expression
    }

    private mutating func infix(
        _ left: Operand, _ lowest: Int
    ) throws(PredicateTreeError) -> Operand {
        var left = left
        while let (precedence, make) = infixOperator(), precedence >= lowest {
            try advance()
            var right: Operand = (try unary(), 0)
            while let (next, _) = infixOperator(), next > precedence { right = try infix(right, next) }
            left = (make(left.expression, right.expression), max(left.height, right.height) + 1)
            guard left.height < PredicateTree.Limit.depth else {
                throw .tooDeep(format: lexer.format, position: token.range.lowerBound)
            }
        }
        return left
    }

    private typealias Making = (PredicateTree.Expression, PredicateTree.Expression) ->
        PredicateTree.Expression

    private func infixOperator() -> (precedence: Int, make: Making)? {
        switch token.kind {
        case .symbol(let symbol):
            guard let (function, precedence) = PredicateTree.Function.infix[symbol] else { return nil }
            return (precedence, { .function(function, [$0, $1]) })
        case .word:
            guard let op = PredicateTree.SetOperator(rawValue: token.keyword ?? "") else { return nil }
            return (1, { .set(op, $0, $1) })
        default: return nil
        }
    }

    /// Parses an operand with the operators before it.
    private mutating func unary() throws(PredicateTreeError) -> PredicateTree.Expression {
        guard token.isSymbol("-") || token.isSymbol("~") else { return try primary() }
        let function: PredicateTree.Function = token.isSymbol("-") ? .negate : .onesComplement
        try advance()
        if function == .negate, case .number = token.kind {
            return .constant(try number(isNegative: true))
        }
        try nest()
        let operand = try unary()
        unnest()
        return .function(function, [operand])
    }

    /// Parses `SUBQUERY(members, $variable, condition)`.
    mutating func subquery() throws(PredicateTreeError) -> PredicateTree.Expression {
        try advance()
        try expect("(", "SUBQUERY needs parentheses. Write #SUBQUERY for a key of that name.")
        try nest()
        let members = try operand()
        try expect(",", "Expected a comma and a variable. Write SUBQUERY(members, $variable, condition).")
        guard case .variable(let name) = token.kind else {
            throw error(
                .syntax,
                "The second operand of SUBQUERY is not a variable. Write SUBQUERY(employees, $e, "
                    + "$e.salary > 5).")
        }
        try advance()
        try expect(",", "Expected a comma and a condition. Write SUBQUERY(members, $variable, condition).")
        let condition = try innerCondition()
        try expect(")", "SUBQUERY has no closing parenthesis. Add ).")
        unnest()
        return .subquery(members, variable: name, condition)
    }

    /// Parses the text behind the name of a function.
    mutating func call(
        _ name: String, _ start: PredicateToken
    ) throws(PredicateTreeError) -> PredicateTree.Expression {
        try nest()
        defer { unnest() }
        var name = name
        while token.isSymbol(":") {
            name += ":"
            try advance()
            guard case .word(let next) = token.kind else { continue }
            name += next
            try advance()
        }
        try expect("(", "The operands of \(name) are not in parentheses. Write \(name)(a).")
        switch name.uppercased() {
        case "TERNARY": return try conditional()
        case "FUNCTION": return try selector()
        case "CASTOBJECT:TOTYPE:":
            let operand = try operand()
            try expect(
                ",",
                "castObject:toType: needs an operand and a quoted type. Write "
                    + "castObject:toType:(operand, 'type').")
            let cast = try castType(of: operand, start)
            try expect(")", "castObject:toType: has no closing parenthesis. Add ).")
            return cast
        default: return try function(name, [], start)
        }
    }

    private mutating func conditional() throws(PredicateTreeError) -> PredicateTree.Expression {
        let test = try innerCondition()
        try expect(",", "Expected a comma and two values. Write TERNARY(condition, a, b).")
        let a = try operand()
        try expect(",", "Expected a comma and a second value. Write TERNARY(condition, a, b).")
        let b = try operand()
        try expect(")", "TERNARY has no closing parenthesis. Add ).")
        return .conditional(test, a, b)
    }

    /// Parses `FUNCTION(target, 'selector', operands)`, in which the selector is that of a function or a
    /// string.
    private mutating func selector() throws(PredicateTreeError) -> PredicateTree.Expression {
        let target = try operand()
        try expect(",", "Expected a comma and a quoted selector. Write FUNCTION(target, 'selector').")
        let start = token
        guard case .string(let selector) = token.kind else {
            throw error(
                .syntax,
                "The second operand of FUNCTION is not a quoted selector. Write FUNCTION(name, "
                    + "'length').")
        }
        try advance()
        if token.isSymbol(",") { try advance() }
        if let keyed = KeyedSelector(rawValue: selector) { return try value(of: target, by: keyed) }
        let names = ["uppercaseString": "uppercase:", "lowercaseString": "lowercase:", "length": "length:"]
        let name = names[selector] ?? selector
        let isReceiver =
            if case .variable(let name) = target { receivers?.contains(name) == true } else { false }
        if receivers != nil, isReceiver || PredicateTree.Function(name: name) == nil {
            return .call(target, selector: selector, try operands(of: selector))
        }
        return try function(name, [target], start)
    }

    private mutating func operands(
        of name: String
    ) throws(PredicateTreeError) -> [PredicateTree.Expression] {
        var operands: [PredicateTree.Expression] = []
        while !token.isSymbol(")") {
            operands.append(try operand())
            guard token.isSymbol(",") else { break }
            try advance()
        }
        try expect(")", "The operands of \(name) have no closing parenthesis. Add ).")
        return operands
    }

    private mutating func function(
        _ name: String, _ given: [PredicateTree.Expression], _ start: PredicateToken
    ) throws(PredicateTreeError) -> PredicateTree.Expression {
        let operands = given + (try operands(of: name))
        guard let function = PredicateTree.Function(name: name) else {
            let known = PredicateTree.Function.allCases.map(\.rawValue).joined(separator: ", ")
            let remedy = PredicateKeyword.unsupportedFunctions[name]
            throw lexer.error(
                .unsupported,
                "The function \(name)() is not supported in predicates. "
                    + (remedy ?? "Use one of \(known)."),
                start.range)
        }
        guard operands.count == function.arity else {
            throw lexer.error(
                .syntax,
                "\(function.rawValue) was given \(operands.count) operands. Pass \(function.arity).",
                start.range)
        }
        return .function(function, operands)
    }
}
