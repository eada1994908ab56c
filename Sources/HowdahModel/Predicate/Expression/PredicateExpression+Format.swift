package import Foundation

extension PredicateTree.Expression {
    /// Creates an operand from a format, as it stands on a side of a comparison.
    ///
    /// - Throws: The errors of ``PredicateTree/init(format:arguments:)``.
    package init(format: String, arguments: [(any Sendable)?] = []) throws(PredicateTreeError) {
        var parser = try PredicateParser(format: format, arguments: arguments)
        self = try parser.parseOperand()
        try check()
    }

    /// Checks that the operand is not too deep or too large to be evaluated.
    ///
    /// - Throws: `tooLarge`.
    func check() throws(PredicateTreeError) {
        let tree = PredicateTree(.comparison(lhs: self, op: .equal, rhs: .constant(.null)))
        if let error = tree.error { throw error }
    }

    /// Creates an operand from an `#Expression`; `naming` gives the meaning of its key paths.
    ///
    /// - Throws: The errors of ``PredicateTree/init(_:naming:)``.
    package init<Object, Output>(
        _ expression: Foundation.Expression<Object, Output>, naming: @escaping (AnyKeyPath) -> PropertyStep?
    ) throws(PredicateTreeError) {
        var scope = LoweringScope(naming: naming)
        scope.bind(expression.variable, to: .path([]))
        self = try scope.lower(expression.expression).operand()
        try check()
    }

    /// Returns the value of the operand on one object, equal to the database's.
    ///
    /// - Throws: The errors of ``PredicateEvaluator/evaluate(_:)``.
    package func value(on subject: any PredicateSubject) throws(PredicateTreeError) -> Value {
        try PredicateOperandStep(self).value(PredicateContext(subject: subject))
    }
}

extension PredicateParser {
    /// Parses one operand and nothing else.
    fileprivate mutating func parseOperand() throws(PredicateTreeError) -> PredicateTree.Expression {
        let expression = try operand()
        guard case .end = token.kind else {
            throw error(
                .syntax,
                "The text after the value is not part of the expression. Add an arithmetic operator, or remove the "
                    + "text.")
        }
        guard nextArgument == arguments.count else {
            throw error(
                .argumentCount,
                "The format has \(nextArgument) \(nextArgument == 1 ? "placeholder" : "placeholders"), but "
                    + "\(arguments.count) arguments were given. Remove the last arguments, or add placeholders.",
                argument: nextArgument + 1)
        }
        return expression
    }
}
