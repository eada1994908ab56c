/// An evaluator of one predicate on objects in memory, with the same results as the database.
///
/// It is two-valued: a comparison with nil is false, and NOT makes that true. For equality, nil equals nil.
/// Collections, patterns and folded constants are the same for all objects and are prepared once.
package struct PredicateEvaluator {
    private let root: PredicateStep

    /// Prepares a predicate.
    ///
    /// - Throws: The tree's own error, `unboundVariable`, or `unsupported` for a pattern of MATCHES.
    package init(_ tree: PredicateTree) throws(PredicateTreeError) {
        if let error = tree.error { throw error }
        root = try PredicateStep(tree.root)
    }

    /// Returns true if the predicate holds for an object.
    ///
    /// - Throws: `unknownKey`; `argumentType` if a function cannot take its operand; `invalidOperand` if a
    ///   key path crosses an attribute, or crosses a to-many relationship without ANY, ALL, NONE, IN,
    ///   CONTAINS or `@count`.
    package func evaluate(_ subject: any PredicateSubject) throws(PredicateTreeError) -> Bool {
        try root.holds(PredicateContext(subject: subject))
    }
}

extension PredicateTree {
    /// Returns true if the predicate holds for an object. For many objects, prepare one
    /// ``PredicateEvaluator``.
    ///
    /// - Throws: The errors of ``PredicateEvaluator/evaluate(_:)``.
    package func evaluate(with subject: any PredicateSubject) throws(PredicateTreeError) -> Bool {
        try PredicateEvaluator(self).evaluate(subject)
    }
}
