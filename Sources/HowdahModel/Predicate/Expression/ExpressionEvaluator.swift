/// An evaluator of an operand in memory, with the same results as the database.
package struct ExpressionEvaluator {
    private let step: PredicateOperandStep

    /// The result of an operand.
    package enum Result {
        case value(Value)
        case objects([any PredicateSubject])
    }

    /// Prepares an operand.
    ///
    /// - Throws: The errors of ``PredicateEvaluator``.
    package init(_ expression: PredicateTree.Expression) throws(PredicateTreeError) {
        step = try PredicateOperandStep(expression)
    }

    /// Returns the result for these objects as the values of the variables.
    ///
    /// - Throws: The errors of ``PredicateEvaluator/evaluate(_:)``.
    package func evaluate(
        _ variables: [String: any PredicateSubject]
    ) throws(PredicateTreeError) -> Result {
        let context = PredicateContext(subject: JSONDocument.null, members: variables)
        let outcome = try step.outcome(context)
        switch outcome.values {
        case .many(let values) where values.count == outcome.objects.count: return .objects(outcome.objects)
        case .many(let values): return .value(.array(values))
        case .one where !outcome.objects.isEmpty: return .objects(outcome.objects)
        case .one(let value): return .value(value)
        case .array(let elements): return .value(elements.map(Value.array) ?? .null)
        case .missing: return .value(.null)
        }
    }
}
