/// Runs one predicate on objects in memory, with the answers the database would give.
///
/// Two-valued: a comparison with nil is false (equality apart, where nil equals nil), and NOT turns that into
/// true. What is the same for all objects (collections, patterns, folded constants) is prepared once.
package struct PredicateEvaluator {
    private let root: Step

    /// Prepares `tree`.
    ///
    /// - Throws: The tree's own error, `unboundVariable`, or `unsupported` for a pattern of MATCHES.
    package init(_ tree: PredicateTree) throws(PredicateTreeError) {
        if let error = tree.error { throw error }
        root = try Self.step(tree.root)
    }

    /// Whether the predicate holds for `subject`.
    ///
    /// - Throws: `unknownKey`, and `invalidOperand` where a key path crosses an attribute, or a to-many
    ///   relationship without ANY, ALL, NONE, IN, CONTAINS or `@count`.
    package func evaluate(_ subject: any PredicateSubject) throws(PredicateTreeError) -> Bool {
        try Self.evaluate(root, subject)
    }

    private indirect enum Step {
        case constant(Bool)
        case not(Step)
        case and([Step])
        case or([Step])
        case comparison(PredicateComparison)
    }

    private static func step(_ node: PredicateTree.Node) throws(PredicateTreeError) -> Step {
        switch node {
        case .constant(let holds): return .constant(holds)
        case .invalid(let error): throw error
        case .not(let inner): return .not(try step(inner))
        case .and(let members): return .and(try steps(members))
        case .or(let members): return .or(try steps(members))
        case .comparison(let lhs, let op, let rhs, let options, let modifier):
            return .comparison(
                try PredicateComparison(lhs: lhs, op: op, rhs: rhs, options: options, modifier: modifier))
        }
    }

    private static func steps(_ nodes: [PredicateTree.Node]) throws(PredicateTreeError) -> [Step] {
        var steps: [Step] = []
        for node in nodes { steps.append(try step(node)) }
        return steps
    }

    private static func evaluate(
        _ step: Step, _ subject: any PredicateSubject
    ) throws(PredicateTreeError) -> Bool {
        switch step {
        case .constant(let holds): return holds
        case .not(let inner): return try !evaluate(inner, subject)
        case .and(let members):
            for member in members where try !evaluate(member, subject) { return false }
            return true
        case .or(let members):
            for member in members where try evaluate(member, subject) { return true }
            return false
        case .comparison(let comparison): return try comparison.evaluate(subject)
        }
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
