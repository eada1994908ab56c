/// One comparison, prepared for evaluation on many objects.
struct PredicateComparison {
    private let lhs: PredicateOperandStep
    private let rhs: PredicateOperandStep
    private let asWritten: PreparedComparison
    private let ofCaseInsensitive: CaseInsensitive?

    init(
        lhs: PredicateTree.Expression, op: PredicateTree.Operator, rhs: PredicateTree.Expression,
        options: PredicateTree.Options, modifier: PredicateTree.Modifier
    ) throws(PredicateTreeError) {
        guard !options.contains(.localeSensitive) else {
            throw PredicateTreeError(
                .unsupported, "The option [l] is not supported in memory. Use [c], [d] or [cd].")
        }
        self.lhs = try PredicateOperandStep(lhs)
        self.rhs = try PredicateOperandStep(rhs)
        asWritten = try PreparedComparison(self.lhs.constant, op, self.rhs.constant, options, modifier)
        let others = options.ofCaseInsensitive(op)
        let (left, right) = (self.lhs.constant, self.rhs.constant)
        ofCaseInsensitive =
            others == options
            ? nil
            : CaseInsensitive { () throws(PredicateTreeError) in
                try PreparedComparison(left, op, right, others, modifier)
            }
    }

    func evaluate(_ context: PredicateContext) throws(PredicateTreeError) -> Bool {
        let left = try Self.values(of: lhs, context)
        let right = try Self.values(of: rhs, context)
        if let ofCaseInsensitive, left.isCaseInsensitive || right.isCaseInsensitive {
            return try ofCaseInsensitive.comparison().holds(left.values, right.values)
        }
        return try asWritten.holds(left.values, right.values)
    }

    private static func values(
        of side: PredicateOperandStep, _ context: PredicateContext
    ) throws(PredicateTreeError) -> (values: PreparedComparison.Values?, isCaseInsensitive: Bool) {
        if side.constant != nil { return (nil, false) }
        let outcome = try side.outcome(context)
        return (outcome.values, outcome.isCaseInsensitive)
    }

    /// The comparison for attributes that are compared without regard to case.
    ///
    /// It is prepared at the first such attribute: a predicate alone does not show if there are any.
    private final class CaseInsensitive {
        private let prepare: () throws(PredicateTreeError) -> PreparedComparison
        private var prepared: PreparedComparison?

        init(_ prepare: @escaping () throws(PredicateTreeError) -> PreparedComparison) {
            self.prepare = prepare
        }

        func comparison() throws(PredicateTreeError) -> PreparedComparison {
            if let prepared { return prepared }
            let prepared = try prepare()
            self.prepared = prepared
            return prepared
        }
    }
}
