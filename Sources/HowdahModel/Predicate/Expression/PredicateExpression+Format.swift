package import Foundation

extension PredicateTree.Expression {
    /// Makes an operand of a format, as it stands on a side of a comparison.
    ///
    /// - Throws: As ``PredicateTree/init(format:arguments:)``.
    package init(format: String, arguments: [(any Sendable)?] = []) throws(PredicateTreeError) {
        var parser = try PredicateParser(format: format, arguments: arguments)
        self = try parser.parseOperand()
        try check()
    }

    /// Checks that the operand is not too deep or too large to be run.
    ///
    /// - Throws: `tooLarge`.
    func check() throws(PredicateTreeError) {
        let tree = PredicateTree(.comparison(lhs: self, op: .equal, rhs: .constant(.null)))
        if let error = tree.error { throw error }
    }

    /// Makes an operand of an `#Expression`; `naming` tells what the key paths in it stand for.
    ///
    /// - Throws: As ``PredicateTree/init(_:naming:)``.
    package init<Object, Output>(
        _ expression: Foundation.Expression<Object, Output>, naming: @escaping (AnyKeyPath) -> PropertyStep?
    ) throws(PredicateTreeError) {
        var scope = LoweringScope(naming: naming)
        scope.bind(expression.variable, to: .path([]))
        self = try scope.lower(expression.expression).operand()
        try check()
    }

    /// What the operand comes to on one object, as the database would compute it.
    ///
    /// - Throws: As ``PredicateEvaluator/evaluate(_:)``.
    package func value(on subject: any PredicateSubject) throws(PredicateTreeError) -> Value {
        try PredicateOperandStep(self).value(PredicateContext(subject: subject))
    }
}

extension PredicateParser {
    /// One operand and nothing else.
    fileprivate mutating func parseOperand() throws(PredicateTreeError) -> PredicateTree.Expression {
        let expression = try operand()
        guard case .end = token.kind else {
            throw error(
                .syntax,
                "Expected an operator or the end, because a value contains no comparison. "
                    + "Remove the rest.")
        }
        guard nextArgument == arguments.count else {
            throw error(
                .argumentCount,
                "\(arguments.count) arguments were given for \(nextArgument) placeholders. Remove the other "
                    + "arguments.",
                argument: nextArgument + 1)
        }
        return expression
    }
}
