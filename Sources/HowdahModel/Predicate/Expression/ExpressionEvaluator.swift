/// Computes an operand of predicates in memory, with the answers the database would give.
package struct ExpressionEvaluator {
    private let step: PredicateOperandStep

    /// What an operand comes to.
    package enum Result {
        case value(Value)
        case objects([any PredicateSubject])
    }

    /// Prepares an operand.
    ///
    /// - Throws: as ``PredicateEvaluator``.
    package init(_ expression: PredicateTree.Expression) throws(PredicateTreeError) {
        step = try PredicateOperandStep(expression)
    }

    /// What it comes to where the variables stand for these objects.
    ///
    /// - Throws: as ``PredicateEvaluator/evaluate(_:)``.
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
