/// Runs one predicate on objects in memory, with the answers the database would give.
///
/// Two-valued: a comparison with nil is false (equality apart, where nil equals nil), and NOT turns that into
/// true. What is the same for all objects (collections, patterns, folded constants) is prepared once.
package struct PredicateEvaluator {
    private let root: PredicateStep

    /// Prepares `tree`.
    ///
    /// - Throws: The tree's own error, `unboundVariable`, or `unsupported` for a pattern of MATCHES.
    package init(_ tree: PredicateTree) throws(PredicateTreeError) {
        if let error = tree.error { throw error }
        root = try PredicateStep(tree.root)
    }

    /// Whether the predicate holds for `subject`.
    ///
    /// - Throws: `unknownKey`, `argumentType` where a function cannot take its operand, and `invalidOperand` where a key
    ///   path crosses an attribute, or a to-many relationship without ANY, ALL, NONE, IN, CONTAINS or `@count`.
    package func evaluate(_ subject: any PredicateSubject) throws(PredicateTreeError) -> Bool {
        try root.holds(PredicateContext(subject: subject))
    }
}

extension PredicateTree {
    /// Whether the predicate holds for `subject`; for many objects, prepare one ``PredicateEvaluator``.
    ///
    /// - Throws: As the evaluator does.
    package func evaluate(with subject: any PredicateSubject) throws(PredicateTreeError) -> Bool {
        try PredicateEvaluator(self).evaluate(subject)
    }
}
